import Glibc

/// Why an output file does not get what it should.
enum OutputFileTrouble: Error, Hashable, Sendable {
  /// It cannot be opened or made.
  case open(Int32)
  /// Something else than a regular file stands at the path.
  case notRegular
  /// A link on the way to it is not followed.
  case link(String)
  /// The file has more names than one.
  case manyNames
  /// It is full and cannot give way to a new one.
  case rotation(Int32)
  /// The system does not take the bytes.
  case write(Int32)

  /// `the folder does not exist`, `cannot be written: No space left on device`
  var sentence: String {
    switch self {
    case .open(ENOENT): "the folder does not exist"
    case .open(let number): "it cannot be opened: \(Self.text(number))"
    case .notRegular: "that is not a regular file"
    case .link(let path):
      "takt runs as root and follows no link that another user may have made, such as '\(path)'. "
        + "Name the folder that it leads to"
    case .manyNames:
      "the file has several hard links, and takt runs as root. Remove the others"
    case .rotation(let number): "it is full and cannot be renamed: \(Self.text(number))"
    case .write(let number): "it cannot be written: \(Self.text(number))"
    }
  }

  private static func text(_ number: Int32) -> String { String(cString: strerror(number)) }
}
