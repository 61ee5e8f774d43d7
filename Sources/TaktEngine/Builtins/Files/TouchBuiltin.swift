import Glibc
import TaktCore

/// `use: touch` makes a file's time the present.
struct TouchBuiltin: LongBuiltin {
  var name: String { "touch" }

  var summary: String {
    "makes a file's times the present, and the file where it is missing"
  }

  var parameters: [ParameterSchema] {
    [
      ParameterSchema("path", .path, summary: "the file; its folder must be there"),
      ParameterSchema(
        "create", .boolean, default: .boolean(true),
        summary: "whether it is made when it is missing"
      ),
    ]
  }

  var reasons: [BuiltinReason] {
    [
      BuiltinReason("missing", "the file, or a folder on the way to it, is not there"),
      BuiltinReason("permission", "the system does not allow it"),
      BuiltinReason("error(NAME)", "any other error of the system, by its name"),
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
