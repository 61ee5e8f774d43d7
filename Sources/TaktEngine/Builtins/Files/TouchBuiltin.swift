import Glibc
import TaktCore

/// `use: touch` makes a file's time the present.
struct TouchBuiltin: LongBuiltin {
  var name: String { "touch" }

  var summary: String {
    "sets a file's access and modification times to the current time, and creates a missing file"
  }

  var parameters: [ParameterSchema] {
    [
      ParameterSchema("path", .path, summary: "the file; its folder must exist"),
      ParameterSchema(
        "create", .boolean, default: .boolean(true),
        summary: "whether to create a missing file"
      ),
    ]
  }

  var reasons: [BuiltinReason] {
    [
      BuiltinReason("missing", "the file, or a folder in its path, does not exist"),
      BuiltinReason("permission", "the system does not allow it"),
      BuiltinReason("error(NAME)", "another system error, by name"),
    ]
  }

  func traits(with parameters: Parameters) -> ActionTraits { .usesOwnRights }

  /// Sets the times of the file; follows a link as `touch` does.
  func run(_ call: BuiltinCall) -> BuiltinEnd {
    let path = call.text("path") ?? ""
    if utimensat(AT_FDCWD, path, nil, 0) == 0 { return .done }
    guard errno == ENOENT, call.flag("create") else { return Self.failure(call, path, errno) }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o666)
    guard descriptor >= 0 else { return Self.failure(call, path, errno) }
    close(descriptor)
    return .done
  }

  private static func failure(_ call: BuiltinCall, _ path: String, _ number: Int32) -> BuiltinEnd {
    call.log("\(path): \(String(cString: strerror(number)))", .warning)
    let reason =
      switch number {
      case ENOENT, ENOTDIR: "missing"
      case EACCES, EPERM, EROFS: "permission"
      default: "error(\(ErrorName.of(number)))"
      }
    return .failed(reason)
  }
}
