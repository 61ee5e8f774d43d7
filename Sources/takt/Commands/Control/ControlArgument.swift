import ArgumentParser
import FoundationEssentials
import Glibc
import Synchronization
import TaktAPI
import TaktConfig
import TaktControl
import TaktCore
import TaktEngine
import TaktStore
import TaktSystem
import TaktTime

struct ControlArgument: ParsableArguments {
  @Option(
    name: [.customShort("f"), .customLong("file")],
    help:
      "The daemon's jobs file. (default: TAKT_FILE, jobs.yaml, or that of a running service in /etc/takt)",
    completion: .file(extensions: ["yaml", "yml"]))
  var givenFile: String?

  var file: String {
    if let givenFile { return givenFile }
    guard folder == nil else { return JobsFileChoice.standard }
    return JobsFileChoice.ofDaemon { file in
      var control = ControlArgument()
      (control.givenFile, control.folder) = (file, nil)
      return control.socketPath.map { control.finding(at: $0) != .nothing } ?? false
    }
  }

  @Option(
    name: .customLong("state"),
    help: "The daemon's state folder, instead of the jobs file. (default: .takt beside the file)",
    completion: .directory)
  var folder: String?

  var zone: Zone { folder == nil ? ShownZone.of(JobsLoader.place(of: file)) : ShownZone.local }

  /// The path of the daemon's socket, even without one; nil if it cannot be determined. If a jobs
  /// file's state folder cannot be written, its daemon has the socket in the runtime folder.
  var socketPath: String? {
    let file = file
    let source = JobsFileSource(path: file, catalogue: BuiltinRegistry.standard)
    let named =
      folder.map {
        StateFolder.folder(JobsFileSource(path: $0, catalogue: source.catalogue).absolutePath)
      }
      ?? JobsLoader.place(of: file).state
    var state = named
    if case .folder(let folder) = named { state = .folder(StateFolderLock.place(of: folder)) }
    let path = SocketPlace.path(state: state, file: source.absolutePath)
    if folder == nil, path.map({ finding(at: $0) == .nothing }) ?? true,
      let elsewhere = SocketPlace.path(state: .none, file: source.absolutePath),
      finding(at: elsewhere) != .nothing
    {
      return elsewhere
    }
    return path
  }

  /// The kind of file at a path of the daemon's socket.
  func finding(at path: String) -> SocketPlace.Finding {
    SocketPlace.finding(at: path, jobsFileOf: (try? FileStatus(at: folder ?? file))?.owner)
  }

  /// Ends the program if the named jobs file is missing; prints its name if it is not that of this
  /// folder.
  func requireFile() throws {
    guard folder == nil else { return }
    if let givenFile { return try FileArgument.requireFile(givenFile) }
    let file = file
    if file == JobsFileChoice.named { return try JobsFileChoice.requireUnnamed(file) }
    JobsFileChoice.note(file)
  }

  var hasSocket: Bool { socketPath.map { finding(at: $0) == .socket } ?? false }

  /// Connects to the daemon; ends the program if there is none, or if it refuses.
  func connect() throws -> Connection {
    try requireFile()
    guard let path = socketPath else {
      Console.error(
        "takt: cannot find the daemon: without a state folder, its socket is in XDG_RUNTIME_DIR, "
          + "which is not set, or is not this user's")
      throw ExitCode.unreachable
    }
    switch finding(at: path) {
    case .socket: return Connection(path: path)
    case .foreign(let owner):
      Console.error(
        "takt: user \(owner) owns the socket \(path), so that it need not be the daemon's; "
          + "run the command as that user")
      throw ExitCode.unreachable
    case .led(let link, let owner): return try connect(by: link, of: owner, at: path)
    case .forbidden:
      Console.error("takt: \(ForbiddenPlace.words(path))")
      throw ExitCode.forbidden
    case .nothing:
      Console.error("takt: no daemon is running here (no socket at \(path))")
      Console.error(
        folder == nil && !FileManager.default.fileExists(atPath: file)
          ? "There is no \(file) here either; name the jobs file with -f."
          : "Start it with 'takt run', or name another jobs file with -f.")
      if let state = path.lastIndex(of: "/").map({ String(path[..<$0]) }), access(state, W_OK) != 0,
        SocketPlace.path(state: .none, file: file) == nil
      {
        Console.error(
          "If it runs and cannot write its state folder \(state.printable), its socket is in "
            + "XDG_RUNTIME_DIR, which is not set here, or is not this user's.")
      }
      throw ExitCode.unreachable
    }
  }
}

extension ControlArgument {
  var quietConnection: Connection? {
    socketPath.flatMap { finding(at: $0) == .socket ? Connection(path: $0) : nil }
  }

  struct Connection {
    private let client: ControlClient
    private let path: String
    /// The exit code if the daemon reports that there is nothing to change.
    var conflictCode = ExitCode.failure
    /// The daemon's jobs file, and the name of the one whose text is sent in its place.
    var fileNames: (daemon: String, sent: String)?

    init(path: String) {
      self.path = path
      let isSaid = Atomic(false)
      client = ControlClient(socket: path) { silence in
        guard !isSaid.exchange(true, ordering: .relaxed) else { return }
        Console.error("takt: \(silence.words)")
      }
    }

    /// Sends a request, and reads the answer.
    ///
    /// - Parameters:
    ///   - wanted: the keys to read of it; nil (the default) for all.
    ///   - job: the subject of a refusal.
    ///   - waitSeconds: the time for which the daemon is asked to wait.
    func ask<Value: APIObject>(
      _ type: Value.Type, _ method: String = "GET", _ target: String,
      only wanted: Set<String>? = nil,
      body: [UInt8]? = nil, about job: String? = nil, waitSeconds: Int64 = 0
    ) throws -> (value: Value, bytes: [UInt8]) {
      let bytes = try ask(method, target, body: body, about: job, waitSeconds: waitSeconds)
      guard let value = try? APIReader.read(type, from: bytes, only: wanted) else {
        Console.error(
          "takt: cannot read the daemon's answer; the daemon may have another version of takt")
        throw ExitCode.unreachable
      }
      return (value, bytes)
    }

    /// The number of the run that a word names; nil for a job. A job's name may consist of digits,
    /// and then the word means that job.
    func run(named word: String) throws -> UInt64? {
      switch RunOrJob(word) {
      case .run(let number): return number
      case .job: return nil
      case .either(let number): return try lack(of: word) == nil ? nil : number
      }
    }

    /// The daemon's report that it does not have a job; nil if it does, or does not tell.
    func lack(of job: String) throws -> JobLack? {
      let answer = try reach { () throws(ControlError) in
        try client.ask("GET", "/api/v1/jobs/\(job.asPathPart)")
      }
      guard answer.status == 404 else { return nil }
      let problem = try? APIReader.read(API.Problem.self, from: answer.bytes)
      return JobLack(detail: problem?.detail)
    }

    /// The jobs that the `for_each` of a definition makes; none if a job has this name, or nothing
    /// has.
    func members(of name: String) throws -> [String] {
      guard try lack(of: name) != nil else { return [] }
      let target = "/api/v1/jobs?limit=100000&for_each=\(name.asQueryValue)"
      // A daemon of an earlier version does not know the parameter.
      return askQuietly(API.JobPage.self, target)?.jobs.elements.map(\.name) ?? []
    }

    /// Sends a request for optional information; nil if it is not available.
    func askQuietly<Value: APIObject>(_ type: Value.Type, _ target: String) -> Value? {
      guard let answer = try? client.ask("GET", target), answer.status < 300 else { return nil }
      return try? APIReader.read(type, from: answer.bytes)
    }

    /// Sends a request, and returns the answer unchanged.
    func ask(
      _ method: String = "GET", _ target: String, body: [UInt8]? = nil,
      accept: String = "application/json", about job: String? = nil, waitSeconds: Int64 = 0
    ) throws -> [UInt8] {
      try answer(
        method, target, body: body, accept: accept, about: job, waitSeconds: waitSeconds
      ).bytes
    }

    func output(at target: String) throws -> ControlClient.Answer {
      try answer("GET", target, accept: "text/plain")
    }

    private func answer(
      _ method: String, _ target: String, body: [UInt8]? = nil, accept: String,
      about job: String? = nil, waitSeconds: Int64 = 0
    ) throws -> ControlClient.Answer {
      // The daemon waits for other machines itself, for up to five seconds.
      let waitSeconds = max(waitSeconds, target.hasPrefix("/api/v1/cluster/") ? 5 : 0)
      let answer = try reach { () throws(ControlError) in
        try client.ask(method, target, body: body, accept: accept, waitSeconds: waitSeconds)
      }
      guard answer.status < 300 else { throw refusal(answer, about: job) }
      if !answer.isKept {
        Console.error(
          "takt: warning: done, but the ledger cannot be written, so a crash of takt would undo it; "
            + "its log says why")
      }
      return answer
    }

    /// Passes on the answer in parts as it arrives.
    func follow(
      _ target: String, accept: String = "text/plain",
      _ receive: @escaping @Sendable ([UInt8]) -> Void
    ) throws {
      let answer = try reach { () throws(ControlError) in
        try client.follow(target, accept: accept, receive)
      }
      guard answer.status < 300 else { throw refusal(answer) }
    }

    private func reach(
      _ body: () throws(ControlError) -> ControlClient.Answer
    ) throws -> ControlClient.Answer {
      do throws(ControlError) {
        return try body()
      } catch {
        if error.isForbidden {
          Console.error("takt: \(ForbiddenPlace.words(path))")
          throw ExitCode.forbidden
        }
        Console.error("takt: the daemon does not answer at \(path): \(error.message)")
        throw ExitCode.unreachable
      }
    }

    private func refusal(_ answer: ControlClient.Answer, about job: String? = nil) -> ExitCode {
      guard
        let problem = try? APIReader.read(API.Problem.self, from: answer.bytes)
      else {
        Console.error("takt: the daemon refused the request (HTTP status \(answer.status))")
        return .failure
      }
      for diagnostic in problem.diagnostics ?? [] {
        Console.error(diagnostic.text(calling: fileNames))
      }
      Console.error("takt: \(problem.words(about: job).printable)")
      return switch answer.status {
      case 422: .configuration
      case 400, 404: .usage
      case 409 where problem.code == "overlap": .overlap
      case 409 where problem.code == "ambiguous": .usage
      case 409: conflictCode
      case 503: .unreachable
      default: .failure
      }
    }
  }
}

struct JobLack {
  /// `Did you mean 'backup'?`
  var detail: String?
}

/// The meaning of a word on the command line that names a run or a job.
enum RunOrJob {
  /// `run:7`, which is no job's name.
  case run(UInt64)
  /// Digits: a job of that name, or else the run of that number.
  case either(UInt64)
  case job

  init(_ word: String) {
    let prefix = "run:"
    if word.hasPrefix(prefix), let number = UInt64(word.dropFirst(prefix.count)) {
      self = .run(number)
    } else if let number = UInt64(word) {
      self = .either(number)
    } else {
      self = .job
    }
  }

  static let help: ArgumentHelp = "The job's name or the run's number; 'run:7' is always a run."
}

extension API.Problem {
  /// One or two sentences for a terminal, with the job in question.
  fileprivate func words(about job: String?) -> String {
    var title = title
    if let job, !title.contains("'\(job)'") {
      // "the job is not suspended"
      title =
        title.contains("the job ")
        ? title.replacing("the job ", with: "job '\(job)' ", maxReplacements: 1)
        : "job '\(job)': \(title)"
    }
    let detail =
      code == "overlap"
      ? "Wait for it, cancel it with 'takt cancel', or run both with 'takt trigger --force'."
      : detail
    return title + (detail.map { ". \($0)" } ?? "")
  }
}

extension API.Diagnostic {
  /// The text, with the name of the file that was sent in place of the daemon's.
  func text(calling names: (daemon: String, sent: String)?) -> String {
    // The daemon names its file as it was given.
    let own = file.hasPrefix("./") ? file.dropFirst(2) : file[...]
    guard let names, names.daemon == own || names.daemon.hasSuffix("/\(own)"),
      text.hasPrefix(file)
    else { return text }
    return names.sent + text.dropFirst(file.count)
  }
}

extension API.Run {
  /// `failed, exit(3)`; a reason equal to the outcome is left out.
  var endWords: String { RunEnd.words(outcome ?? state, reason) }

  /// The status that a shell would report.
  var exitStatus: Int32 {
    guard outcome != "succeeded" else { return 0 }
    let reason = reason ?? ""
    func number(in prefix: String) -> Int32? {
      guard reason.hasPrefix(prefix), reason.hasSuffix(")") else { return nil }
      return Int32(reason.dropFirst(prefix.count).dropLast())
    }
    if let status = number(in: "exit("), status != 0 { return status }
    if let signal = number(in: "signal(") { return 128 + signal }
    if reason == "timeout" { return 124 }
    if reason == "not_started(exec, ENOENT)" { return 127 }
    return reason.hasPrefix("not_started(") ? 126 : 1
  }
}

extension String {
  /// The text encoded as one part of a path. The name of a job is unchanged.
  var asPathPart: String {
    var encoded: [UInt8] = []
    for byte in utf8 {
      if Self.isUnreserved(byte) {
        encoded.append(byte)
      } else {
        encoded += [UInt8(ascii: "%"), Self.digit(byte >> 4), Self.digit(byte & 15)]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// True for bytes that need no encoding in any part of a URL (RFC 3986, section 2.3).
  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch UnicodeScalar(byte) {
    case "A"..."Z", "a"..."z", "0"..."9", "-", ".", "_", "~": true
    default: false
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }

  var asQueryValue: String { asPathPart }
}
