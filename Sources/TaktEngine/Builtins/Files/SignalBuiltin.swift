import CTaktSystem
import Glibc
import TaktCore
import TaktSystem

/// `use: signal` signals the process named by a pid file.
struct SignalBuiltin: LongBuiltin {
  var name: String { "signal" }

  var summary: String { "sends a signal to the process whose ID is in a file" }

  private static let signals: [(name: String, number: Int32)] = [
    ("HUP", SIGHUP), ("INT", SIGINT), ("QUIT", SIGQUIT), ("USR1", SIGUSR1), ("USR2", SIGUSR2),
    ("TERM", SIGTERM), ("KILL", SIGKILL), ("CONT", SIGCONT), ("STOP", SIGSTOP),
    ("WINCH", SIGWINCH),
  ]

  var parameters: [ParameterSchema] {
    [
      ParameterSchema(
        "pid_file", .path, reaches: .path, summary: "the file that starts with the process ID"),
      ParameterSchema(
        "signal", .choice(Self.signals.map(\.name)), reaches: .nothing, default: .string("HUP"),
        summary: "the signal"),
      ParameterSchema(
        "program", .string, reaches: .program, isRequired: false,
        summary:
          "the name or the whole path of the process's program; a process of any other program is not signalled"
      ),
    ]
  }

  var reasons: [BuiltinReason] {
    [
      BuiltinReason(
        "no_pid_file", "the file does not exist, cannot be read or is not a regular file"),
      BuiltinReason("bad_pid_file", "the file does not start with a process ID"),
      BuiltinReason("stale", "no process has this ID, or it belongs to another program"),
      BuiltinReason(
        "permission",
        "the system does not allow the signal; as root: the file's owner could not send it, or another user could replace the file"
      ),
      BuiltinReason(
        "link", "as root: another user may have made a link or a name that leads to the file"),
      BuiltinReason("error(NAME)", "another system error, by name"),
    ]
  }

  func traits(with parameters: Parameters) -> ActionTraits { .usesOwnRights }

  /// Signals exactly the process that the file named when it was read, or none.
  func run(_ call: BuiltinCall) -> BuiltinEnd {
    let file = call.text("pid_file") ?? ""
    let found: (bytes: [UInt8], file: FileFact)
    let own = geteuid()
    do throws(OpenFailure) {
      found = try ApartFile.read(file, bytesMax: 4096, as: .pidFile, for: FileParties(own: own))
    } catch {
      switch error {
      case .distrusted(let problem):
        call.log("\(file): \(problem.advice)", .warning)
        return .failed(Self.reason(of: problem))
      case .system(let number):
        call.log("\(file): \(SystemError.text(number))", .warning)
        return .failed("no_pid_file")
      }
    }
    guard let pid = Self.number(in: found.bytes) else { return .failed("bad_pid_file") }
    let handle = cprocess_open(pid)
    guard handle >= 0 else { return Self.failure(errno) }
    defer { close(handle) }
    // The handle was opened first: if the process ends now and another one gets its number, that
    // one may be read, but it is never signalled.
    if let program = call.text("program"), !Self.isProgram(program, of: pid) {
      call.log("process \(pid) is not \(program)", .warning)
      return .failed("stale")
    }
    // A user who may write the file must not reach with takt's rights what is beyond its own.
    let owner = found.file.owner
    if own == 0, owner != 0, !Self.maySignal(owner, pid) {
      call.log(
        "\(file): owned by user \(owner), who may not signal process \(pid), and takt runs as root; "
          + "make root its owner with chown, if that is intended", .warning)
      return .failed("permission")
    }
    let word = call.text("signal") ?? "HUP"
    let signal = Self.signals.first { $0.name == word }?.number ?? SIGHUP
    let error = cprocess_signal(handle, signal)
    guard error == 0 else { return Self.failure(error) }
    call.log("sent \(word) to process \(pid)")
    return .done
  }

  private static func reason(of problem: Distrust) -> String {
    switch problem.reason {
    case .link, .otherName: "link"
    default: "permission"
    }
  }

  /// True if the system would let a user send a process a signal: if its real or its saved user is
  /// that one.
  static func maySignal(_ user: uid_t, _ pid: pid_t) -> Bool {
    guard let bytes = SmallFile.head("/proc/\(pid)/status", bytesMax: 8192) else {
      return false
    }
    let line = bytes.split(separator: 10).first { $0.starts(with: "Uid:".utf8) }
    let users = line?.dropFirst(4).split { $0 == 9 || $0 == 32 }
      .compactMap { uid_t(String(decoding: $0, as: UTF8.self)) }
    guard let users, users.count == 4 else { return false }
    return users[0] == user || users[2] == user
  }

  private static func failure(_ number: Int32) -> BuiltinEnd {
    switch number {
    case ESRCH, EINVAL: .failed("stale")
    case EPERM: .failed("permission")
    default: .failed("error(\(ErrorName.of(number)))")
    }
  }

  /// The first line as a pid.
  static func number(in bytes: [UInt8]) -> pid_t? {
    let line = bytes.prefix { $0 != 10 }
    let words = line.split { $0 == 0x20 || $0 == 9 || $0 == 13 }
    guard words.count == 1, let number = pid_t(String(decoding: words[0], as: UTF8.self)),
      number > 0
    else { return nil }
    return number
  }

  /// True if the process runs this program: by the name that the system keeps, which it cuts at 15
  /// bytes, or by the executed file.
  static func isProgram(_ program: String, of pid: pid_t) -> Bool {
    // The suffix that the system adds if the program's file was replaced while it runs.
    let gone = " (deleted)"
    let executable = SmallFile.link("/proc/\(pid)/exe").map { target in
      target.hasSuffix(gone) ? String(target.dropLast(gone.count)) : target
    }
    if program.contains("/") { return executable == program }
    if let executable, executable.split(separator: "/").last.map(String.init) == program {
      return true
    }
    guard var name = try? SmallFile.read("/proc/\(pid)/comm", bytesMax: 64) else { return false }
    if name.last == 10 { name.removeLast() }
    return name == Array(program.utf8.prefix(15))
  }
}
