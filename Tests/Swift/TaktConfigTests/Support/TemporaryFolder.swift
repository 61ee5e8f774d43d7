import Glibc

/// A folder of a test's own, gone with it.
final class TemporaryFolder {
  let path: String
  private var made: [String] = []

  init() {
    var template = Array("/tmp/takt-config-tests-XXXXXX".utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? "/nonexistent"
  }

  deinit {
    for path in made.reversed() where unlink(path) != 0 { rmdir(path) }
    rmdir(path)
  }

  /// The path of a name in here.
  subscript(name: String) -> String { path + "/" + name }

  /// Writes a file that only its owner may write to.
  @discardableResult
  func write(_ text: String, to name: String) -> String { write(Array(text.utf8), to: name) }

  @discardableResult
  func write(_ bytes: [UInt8], to name: String, mode: mode_t = 0o644) -> String {
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
    made.append(path)
    return path
  }

  /// A file of `size` zero bytes that takes no room.
  @discardableResult
  func writeSparse(_ size: Int, to name: String) -> String {
    let path = write([], to: name)
    truncate(path, size)
    return path
  }

  @discardableResult
  func makeFolder(_ name: String) -> String {
    mkdir(self[name], 0o755)
    made.append(self[name])
    return self[name]
  }

  @discardableResult
  func makePipe(_ name: String) -> String {
    mkfifo(self[name], 0o644)
    made.append(self[name])
    return self[name]
  }

  @discardableResult
  func makeLink(_ name: String, to target: String) -> String {
    symlink(target, self[name])
    made.append(self[name])
    return self[name]
  }
}
