import ArgumentParser
import Glibc
import TaktCore

/// A file that is not there yet.
enum NewFile {
  /// Writes it; false where it is there. Ends the program if it cannot be written.
  static func create(_ path: String, _ text: String) throws -> Bool {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      if errno == EEXIST { return false }
      throw failure(path)
    }
    defer { close(descriptor) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let error = failure(path)
        // Half a file would be in the way of the next try.
        unlink(path)
        throw error
      }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func failure(_ path: String) -> ExitCode {
    Console.error("takt: cannot write \(path.printable): \(String(cString: strerror(errno)))")
    return .unwritable
  }
}
