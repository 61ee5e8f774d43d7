import Glibc

/// A pipe whose ends no child inherits, not even one that another thread starts at the same moment.
package enum SafePipe {
  /// The end to read from and the end to write to; nil on failure.
  package static func make() -> (read: Int32, write: Int32)? {
    // The call that does this atomically is not available here, so it is a named pipe for a moment.
    let path = "/tmp/takt-pipe-\(getpid())-\(UInt64.random(in: .min ... .max))"
    guard mkfifo(path, 0o600) == 0 else { return nil }
    defer { unlink(path) }
    let read = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard read >= 0 else { return nil }
    let write = open(path, O_WRONLY | O_CLOEXEC)
    guard write >= 0, fcntl(read, F_SETFL, 0) == 0 else {
      close(read)
      return nil
    }
    return (read, write)
  }
}
