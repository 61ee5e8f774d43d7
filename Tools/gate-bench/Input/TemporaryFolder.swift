import Glibc
import TaktSystem

/// A folder that is gone with this object, and all files in it.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/takt-gate-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw WorkloadFailure("no temporary folder: \(SystemError.text())")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  private var names: [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) { name in
          // The kernel ends the name with a zero byte, within the field.
          name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    return names
  }
}
