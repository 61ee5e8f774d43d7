import Glibc
import TaktSystem

/// Files of inputs, and of targets that read a file.
enum Files {
  /// The names in a folder, sorted; empty if it does not exist.
  static func names(in folder: String) -> [String] {
    guard let list = opendir(folder) else { return [] }
    defer { closedir(list) }
    var names: [String] = []
    while let entry = readdir(list) {
      // The kernel ends the name with a NUL within the field.
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// Nil, with `errno`, if it cannot be read.
  static func bytes(of path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part[..<count] }
    return bytes
  }

  static func write(_ bytes: [UInt8], to path: String) {
    guard let file = fopen(path, "w") else { preconditionFailure("\(path) cannot be written") }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }
}

/// A folder in memory, for this process alone. It is removed at an ordinary end of the process.
struct ScratchFolder {
  let path: String

  init() throws {
    var template = Array("/dev/shm/takt-fuzz-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw Failure(text: SystemError.text())
    }
    path = String(cString: made)
    Self.removeAtExit(path)
  }

  struct Failure: Error { var text: String }

  /// Makes a folder in it.
  func folder(_ name: String) -> String {
    let path = "\(path)/\(name)"
    mkdir(path, 0o700)
    return path
  }

  nonisolated(unsafe) private static var folders: [String] = []  // Only the main thread makes them.

  private static func removeAtExit(_ path: String) {
    if folders.isEmpty {
      atexit { for folder in ScratchFolder.folders { ScratchFolder.removeTree(folder) } }
    }
    folders.append(path)
  }

  private static func removeTree(_ path: String) {
    for name in Files.names(in: path) where unlink("\(path)/\(name)") != 0 {
      removeTree("\(path)/\(name)")
    }
    rmdir(path)
  }
}
