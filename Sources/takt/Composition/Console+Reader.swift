import ArgumentParser
import Glibc
import TaktSystem

extension Console {
  /// Ends the program when the reader of standard output is gone, as in `takt logs -f | head -1`: a
  /// command without output for hours would notice it only then.
  static func exitWhenReaderIsGone() throws {
    do throws(SystemError) {
      try Thread.start(name: "takt-reader") {
        var entry = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        while true {
          let count = poll(&entry, 1, -1)
          if count < 0, errno == EINTR { continue }
          guard count == 1 else { return }
          // The reader has seen enough.
          if entry.revents & Int16(POLLERR | POLLHUP) != 0 { _exit(ExitCode.success.rawValue) }
          // The descriptor is not open.
          return
        }
      }
    } catch {
      Console.error("takt: cannot start a thread to watch the output (\(error))")
      throw ExitCode.system
    }
  }
}
