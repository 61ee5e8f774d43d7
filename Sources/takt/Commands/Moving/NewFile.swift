import ArgumentParser
import Glibc
import TaktCore
import TaktSystem

enum NewFile {
  /// Writes a new file; false if it exists. Ends the program if it cannot be written.
  static func create(_ path: String, _ text: String) throws -> Bool {
    do throws(SystemError) {
      try SmallFile.create(path, Array(text.utf8), mode: 0o644)
      return true
    } catch {
      if error.number == EEXIST { return false }
      Console.error("takt: cannot write \(path.printable): \(SystemError.text(error.number))")
    }
    throw ExitCode.unwritable
  }
}
