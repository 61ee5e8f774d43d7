import Dispatch
import Glibc
import Synchronization
import TaktCore
package import TaktTime

/// The files for runs' output. A small pool writes them, one thread at a time for each file, so
/// that a slow disk delays no others; the waiting bytes are limited.
///
/// Safe from any thread; only `close` waits.
package final class OutputFiles: Sendable {
  final class Shared: Sendable {
    private let pool = WorkPool(
      name: "takt-files", nice: 0, width: 2,
      bounds: WorkPool.Bounds(
        patience: .milliseconds(500), limit: .seconds(365 * 86_400), share: 1))
    let pending = DispatchGroup()
    let sink: any OutputSink
    let time: any TimeSource
    let write: RotatingFile.Write
    /// For one file; for all together four times as much.
    let limitBytes: Int
    private let waitingBytes = Atomic<Int>(0)
    let writers = Mutex<[String: OutputFileWriter]>([:])

    init(
      sink: any OutputSink, time: any TimeSource, limitBytes: Int,
      write: @escaping RotatingFile.Write
    ) {
      self.sink = sink
      self.time = time
      self.limitBytes = limitBytes
      self.write = write
    }

    /// Performs work for a file after all earlier work for it; false if there is no thread.
    func perform(for path: String, _ work: @escaping @Sendable () -> Void) -> Bool {
      pending.enter()
      let item = pool.submit(for: path) { [pending] in
        work()
        pending.leave()
      }
      if item == nil { pending.leave() }
      return item != nil
    }

    /// True if so many more bytes may wait.
    func reserve(_ bytes: Int) -> Bool {
      if waitingBytes.add(bytes, ordering: .relaxed).newValue <= limitBytes * 4 {
        return true
      }
      release(bytes)
      return false
    }

    func release(_ bytes: Int) {
      waitingBytes.subtract(bytes, ordering: .relaxed)
    }

    /// Removes an unused writer, unless the log still needs the end of its trouble.
    func forget(_ writer: OutputFileWriter, _ path: String) {
      writers.withLock { writers in
        guard writers[path] === writer, !writer.isUsed, !writer.isTroubled else { return }
        writers[path] = nil
      }
    }
  }

  private let shared: Shared

  /// - Parameters:
  ///   - sink: Gets reports on files that cannot be written.
  ///   - limitBytes: The bytes that may wait for one file. Default 1 MiB; for all files together it
  ///     is four times as much.
  package convenience init(sink: any OutputSink, time: any TimeSource, limitBytes: Int = 1 << 20) {
    self.init(sink: sink, time: time, limitBytes: limitBytes) { Glibc.write($0, $1, $2) }
  }

  init(
    sink: any OutputSink, time: any TimeSource, limitBytes: Int,
    write: @escaping RotatingFile.Write
  ) {
    shared = Shared(sink: sink, time: time, limitBytes: limitBytes, write: write)
  }

  /// Starts a use of a file; it is opened with the first bytes. Attempts with the same path share
  /// one writer.
  func use(_ file: OutputFile) -> OutputFileUse {
    shared.writers.withLock { writers in
      let writer = writers[file.path] ?? OutputFileWriter(file, shared)
      writers[file.path] = writer
      writer.began(file)
      return OutputFileUse(writer: writer)
    }
  }

  /// Waits until all bytes so far are written, at most `timeout`.
  package func close(timeout: Duration) {
    _ = shared.pending.wait(timeout: .now() + .milliseconds(Int(timeout.milliseconds)))
  }
}

struct OutputFileUse: Sendable {
  fileprivate let writer: OutputFileWriter

  func append(_ bytes: UnsafeRawBufferPointer) { writer.append(bytes) }

  var isBehind: Bool { writer.isBehind }

  /// To be called once, after the last bytes.
  func end() { writer.ended() }
}
