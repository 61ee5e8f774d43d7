import Glibc

/// A test's own folder that only its owner may enter. It is removed with this object.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() {
    var template = Array("/tmp/takt-test-XXXXXX".utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? "/nonexistent"
  }

  deinit { Self.remove(path) }

  /// Removes files of others too: a daemon, or a loader, may have written here.
  private static func remove(_ path: String) {
    guard unlink(path) != 0, let list = opendir(path) else { return }
    while let entry = readdir(list) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { remove("\(path)/\(name)") }
    }
    closedir(list)
    rmdir(path)
  }

  package subscript(name: String) -> String { path + "/" + name }

  /// Writes a file that only its owner may write to.
  @discardableResult
  package func write(_ text: String, to name: String) -> String {
    write(Array(text.utf8), to: name)
  }

  @discardableResult
  package func write(_ bytes: [UInt8], to name: String, mode: UInt32 = 0o644) -> String {
    let path = self[name]
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count <= 0 { break }
      rest = rest.dropFirst(count)
    }
    fchmod(descriptor, mode)
    close(descriptor)
    return path
  }

  /// Writes a file of `size` zero bytes that takes no space.
  @discardableResult
  package func writeSparse(_ size: Int, to name: String) -> String {
    let path = write([], to: name)
    truncate(path, size)
    return path
  }

  @discardableResult
  package func makeFolder(_ name: String) -> String {
    mkdir(self[name], 0o755)
    return self[name]
  }

  @discardableResult
  package func makePipe(_ name: String) -> String {
    mkfifo(self[name], 0o644)
    return self[name]
  }

  @discardableResult
  package func makeLink(_ name: String, to target: String) -> String {
    symlink(target, self[name])
    return self[name]
  }
}
