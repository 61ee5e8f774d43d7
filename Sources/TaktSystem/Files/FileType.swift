import Glibc

package enum FileType: String, Hashable, Sendable, CaseIterable {
  case file
  case folder
  case link
  case pipe
  case socket
  case device

  package init(_ mode: UInt32) {
    self =
      switch mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      case S_IFLNK: .link
      case S_IFIFO: .pipe
      case S_IFSOCK: .socket
      default: .device
      }
  }

  /// With its article, as in a sentence.
  package var words: String { "a \(self == .link ? "symbolic link" : rawValue)" }
}
