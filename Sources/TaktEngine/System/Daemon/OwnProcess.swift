import CTaktSystem
import Glibc
package import TaktSystem

/// The signals that takt handles: all that would end it, except those of its own faults and KILL.
package enum Signals {
  private static let names: [Int32: String] = [
    SIGHUP: "HUP", SIGINT: "INT", SIGQUIT: "QUIT", SIGTERM: "TERM", SIGUSR1: "USR1",
    SIGUSR2: "USR2", SIGCHLD: "CHLD", SIGALRM: "ALRM", SIGVTALRM: "VTALRM", SIGPROF: "PROF",
    SIGIO: "IO", SIGPWR: "PWR", SIGSTKFLT: "STKFLT", SIGXCPU: "XCPU",
  ]

  /// Includes the real-time signals, except those that the C library reserves.
  private static let handled =
    Array(names.keys) + (__libc_current_sigrtmin()...__libc_current_sigrtmax())

  /// Blocks them in this thread and in all that it starts, so that none is lost and none kills.
  /// SIGPIPE is ignored, and so is SIGXFSZ: a file that reaches takt's own size limit is an error
  /// like a full disk. To be called before any thread is started.
  package static func block() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    csystem_block_signals(handled, Int32(handled.count))
  }

  /// Calls `handler` on the reactor's thread with the number of each signal, including those since
  /// `block`.
  package static func receive(
    on reactor: Reactor, _ handler: @escaping @Sendable (Int32) -> Void
  ) throws(SystemError) {
    let descriptor = csystem_signalfd(handled, Int32(handled.count))
    if descriptor < 0 { throw SystemError("signalfd") }
    reactor.perform { loop in
      loop.watch(descriptor, patience: .long) { _ in
        while case let number = csystem_read_signal(descriptor), number != 0 { handler(number) }
      }
    }
  }

  /// The name without `SIG`; the number if it has no name.
  package static func name(of number: Int32) -> String { names[number] ?? "\(number)" }
}

/// Descriptors 0, 1 and 2, and others that the parent has left open.
package enum StandardDescriptors {
  /// The number of other descriptors at the start, of those that the limit counts. They stay open,
  /// because a lock may be held by them.
  static let inherited = countOthers()

  /// Opens `/dev/null` in place of those that the parent has closed, so that their numbers are not
  /// reused; and counts the others, while none is takt's own. A closed standard output cannot be
  /// written after that either: an answer that cannot be delivered is a failure.
  package static func ensureOpen() {
    _ = inherited
    for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      _ = open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Discards output if standard output cannot be written: a daemon may have no log.
  package static func discardClosedOutput() {
    guard fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE == O_RDONLY else { return }
    let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard nothing >= 0 else { return }
    dup2(nothing, STDOUT_FILENO)
    close(nothing)
  }

  private static func countOthers() -> Int {
    guard let folder = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(folder) }
    let own = dirfd(folder)
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
    var count = 0
    while let entry = readdir(folder) {
      // The name is a C string inside the entry, which stays valid until the next call.
      let number = withUnsafePointer(to: &entry.pointee.d_name.0) { Int32(String(cString: $0)) }
      if let number, number > 2, number != own, number < limit.rlim_cur { count += 1 }
    }
    return count
  }
}

/// Ends the process, even if part of it hangs.
package enum LastResort {
  /// Ends the process with status 1 and a message if it has not ended by itself in this time. Ends
  /// it at once if the system gives no thread for that.
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

  /// Ends the process at once, with status 1 and a message.
  package static func end() -> Never {
    let words =
      "takt: Stopped by force, because part of takt did not end. "
      + "Processes may be left running.\n"
    _ = write(STDERR_FILENO, words, words.utf8.count)
    _exit(1)
  }
}
