import Glibc
import TaktCore

extension Int32 {
  /// The reason that an error number of a file is.
  var fileReason: String {
    switch self {
    case ENOENT, ENOTDIR: "missing"
    case EACCES, EPERM, EROFS: "permission"
    default: "error(\(ErrorName.of(self)))"
    }
  }
}
