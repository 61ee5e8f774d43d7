import Glibc
import TaktCore
import TaktSystem

/// `use: touch` sets a file's times to the present.
struct TouchBuiltin: LongBuiltin {
  var name: String { "touch" }

  var summary: String {
    "sets a file's access and modification times to the current time, and creates a missing file"
  }

  var parameters: [ParameterSchema] {
    [
      ParameterSchema("path", .path, reaches: .path, summary: "the file; its folder must exist"),
      ParameterSchema(
        "create", .boolean, reaches: .file, default: .boolean(true),
        summary: "whether to create a missing file"
      ),
    ]
  }

  var reasons: [BuiltinReason] {
    [
      BuiltinReason("missing", "the file, or a folder in its path, does not exist"),
      BuiltinReason("permission", "the system does not allow it"),
      BuiltinReason(
        "link", "as root: a link in the path could have been made by another user"),
      BuiltinReason("error(NAME)", "another system error, by name"),
    ]
  }

  func traits(with parameters: Parameters) -> ActionTraits { .usesOwnRights }

  /// Follows a link as `touch` does, but as root none that another user may have made.
  func run(_ call: BuiltinCall) -> BuiltinEnd {
    let path = call.text("path") ?? ""
    let isRoot = geteuid() == 0
    do throws(FolderPath.Failure) {
      let (folder, name) =
        try isRoot
        ? FolderPath.parent(of: path, following: .ofRoot) : (folder: AT_FDCWD, name: path)
      defer { if isRoot { close(folder) } }
      if utimensat(folder, name, nil, isRoot ? AT_SYMLINK_NOFOLLOW : 0) == 0 { return .done }
      let number = errno
      guard number == ENOENT, call.flag("create") else { throw .system(number) }
      let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
      let descriptor = openat(folder, name, isRoot ? flags | O_NOFOLLOW : flags, 0o666)
      guard descriptor >= 0 else { throw .system(errno) }
      close(descriptor)
      return .done
    } catch {
      switch error {
      case .system(let number): return Self.failure(call, path, number)
      case .link(let link):
        call.log(
          "'\(link)' is a link that another user may have made, and takt runs as root; "
            + "use the real path", .warning)
        return .failed("link")
      }
    }
  }

  private static func failure(_ call: BuiltinCall, _ path: String, _ number: Int32) -> BuiltinEnd {
    call.log("\(path): \(SystemError.text(number))", .warning)
    let reason =
      switch number {
      case ENOENT, ENOTDIR: "missing"
      case EACCES, EPERM, EROFS: "permission"
      default: "error(\(ErrorName.of(number)))"
      }
    return .failed(reason)
  }
}
