import CTaktSystem
import Glibc
import TaktCore

/// `use: signal` signals the process that a pid file names.
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
        "the system does not allow the signal; as root: the file's owner could not send it"),
      BuiltinReason(
        "link", "as root: the file belongs to root, but another user may have led takt to it"),
      BuiltinReason("error(NAME)", "another system error, by name"),
    ]
  }

  func traits(with parameters: Parameters) -> ActionTraits { .usesOwnRights }

  /// Signals the process that the file named when it was read, or nobody.
  func run(_ call: BuiltinCall) -> BuiltinEnd {
    let file = call.text("pid_file") ?? ""
    let found: Found
    do throws(SystemError) {
      found = try Found(in: file, tracesLinks: geteuid() == 0)
    } catch {
      call.log("\(file): \(error)", .warning)
      return .failed("no_pid_file")
    }
    if let refusal = found.refusal {
      call.log("\(file): \(refusal.sentence)", .warning)
      return .failed(refusal.reason)
    }
    guard let pid = Self.number(in: found.bytes) else { return .failed("bad_pid_file") }
    let handle = cprocess_open(pid)
    guard handle >= 0 else { return Self.failure(errno) }
    defer { close(handle) }
    // The handle was had first: should the process end now and another one get its number, then
    // that one may be looked at, but it is never signalled.
    if let program = call.text("program"), !Self.isProgram(program, of: pid) {
      call.log("process \(pid) is not \(program)", .warning)
      return .failed("stale")
    }
    // Who may write the file is not to reach with takt's rights what is beyond its own.
    if let owner = found.otherOwner, !Self.maySignal(owner, pid) {
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

  /// A file with what tells whether it is to be believed.
  private struct Found {
    private(set) var bytes: [UInt8] = []
    /// Who owns it, and with which rights; nil where takt is not root, and has no rights to lend.
    private var owner: (user: uid_t, mode: mode_t, isForeign: Bool)?

    init(in file: String, tracesLinks: Bool) throws(SystemError) {
      guard tracesLinks else {
        bytes = try SmallFile.read(file, bytesMax: 4096)
        return
      }
      var found: (uid_t, mode_t, Bool)?
      bytes = try SmallFile.readApart(file, bytesMax: 4096, tracesLinks: true) {
        status, isForeign throws(SystemError) in
        found = (status.st_uid, status.st_mode & 0o7777, isForeign)
      }
      owner = found.map { (user: $0, mode: $1, isForeign: $2) }
    }

    /// The user other than root who may write to the file.
    var otherOwner: uid_t? { owner.flatMap { $0.user == 0 ? nil : $0.user } }

    /// Why nobody can say whose file it is.
    var refusal: (reason: String, sentence: String)? {
      guard let owner else { return nil }
      if owner.mode & 0o022 != 0 {
        return (
          "permission",
          "group- or world-writable (mode 0\(String(owner.mode, radix: 8))), refused because takt "
            + "runs as root; run `chmod go-w` on it"
        )
      }
      guard owner.isForeign, owner.user == 0 else { return nil }
      return (
        "link",
        "owned by root, but reached by a link that another user may have made, refused because takt "
          + "runs as root; name the file itself"
      )
    }
  }

  /// Whether the system would let a user send a process a signal: if its real or its saved user is
  /// that one.
  static func maySignal(_ user: uid_t, _ pid: pid_t) -> Bool {
    guard let bytes = ProcessFile.read("/proc/\(pid)/status", limitBytes: 8192) else {
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

  /// The first line as a process's number.
  static func number(in bytes: [UInt8]) -> pid_t? {
    let line = bytes.prefix { $0 != 10 }
    let words = line.split { $0 == 0x20 || $0 == 9 || $0 == 13 }
    guard words.count == 1, let number = pid_t(String(decoding: words[0], as: UTF8.self)),
      number > 0
    else { return nil }
    return number
  }

  /// Whether the process runs this program: by the name that the system keeps, which it cuts at 15
  /// bytes, or by the file that is executed.
  static func isProgram(_ program: String, of pid: pid_t) -> Bool {
    // What the system says of a program whose file was replaced while it runs.
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
