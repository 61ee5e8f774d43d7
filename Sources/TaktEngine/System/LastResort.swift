import Glibc

/// Ends the process, whatever hangs in it.
package enum LastResort {
  /// Ends the process with status 1 when it has not ended by itself in this time, and says so.
  /// Where the system gives no thread for it, it is ended at once.
  package static func end(after patience: Duration) {
    do throws(SystemError) {
      try Thread.start(name: "takt-last") {
        sleep(UInt32(clamping: patience.components.seconds))
        end()
      }
    } catch {
      end()
    }
  }

  /// Ends the process at once, with status 1, and says so.
  package static func end() -> Never {
    let words =
      "takt: Stopped by force, because something does not end. "
      + "Processes may be left running.\n"
    _ = write(STDERR_FILENO, words, words.utf8.count)
    _exit(1)
  }
}
