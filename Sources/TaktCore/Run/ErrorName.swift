/// The names of the system's errors that runs meet.
package enum ErrorName {
  /// `ENOENT` for 2, or `errno 123` for a number without a name here. Linux numbers.
  package static func of(_ number: Int32) -> String {
    names[number] ?? "errno \(number)"
  }

  private static let names: [Int32: String] = [
    1: "EPERM", 2: "ENOENT", 5: "EIO", 7: "E2BIG", 8: "ENOEXEC", 11: "EAGAIN", 12: "ENOMEM",
    13: "EACCES", 20: "ENOTDIR", 21: "EISDIR", 22: "EINVAL", 23: "ENFILE", 24: "EMFILE",
    26: "ETXTBSY", 27: "EFBIG", 28: "ENOSPC", 36: "ENAMETOOLONG", 40: "ELOOP", 125: "ECANCELED",
  ]
}
