import Dispatch
import Glibc
import Synchronization
import TaktCore
package import TaktTime

/// The files that runs' output is written to. A small pool writes them, one thread at a time for
/// each file, so that a slow disk keeps nobody else waiting; what waits for it is bounded.
///
/// Safe from any thread; only `close` waits.
package final class OutputFiles: Sendable {
  /// What the writers have in common.
  final class Shared: Sendable {
    private let pool = WorkPool(
      name: "takt-files", nice: 0, width: 2,
      bounds: WorkPool.Bounds(
        patience: .milliseconds(500), limit: .seconds(365 * 86_400), share: 1))
    /// Work that is not done yet.
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

    /// Does work for a file after all work for it before; false when there is no thread for it.
    func perform(for path: String, _ work: @escaping @Sendable () -> Void) -> Bool {
      pending.enter()
      let item = pool.submit(for: path) { [pending] in
        work()
        pending.leave()
      }
      if item == nil { pending.leave() }
      return item != nil
    }

    /// Whether so many bytes more may wait.
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

    /// A writer that nobody uses goes, unless the log is to be told when its trouble is over.
    func forget(_ writer: OutputFileWriter, _ path: String) {
      writers.withLock { writers in
        guard writers[path] === writer, !writer.isUsed, !writer.isTroubled else { return }
        writers[path] = nil
      }
    }
  }

  private let shared: Shared

  /// - Parameters:
  ///   - sink: Where it is said what cannot be written.
  ///   - limitBytes: How much may wait to be written to one file. Default 1 MiB; for all files
  ///     together it is four times as much.
  package convenience init(sink: any OutputSink, time: any TimeSource, limitBytes: Int = 1 << 20) {
    self.init(sink: sink, time: time, limitBytes: limitBytes) { Glibc.write($0, $1, $2) }
  }

  init(
    sink: any OutputSink, time: any TimeSource, limitBytes: Int,
    write: @escaping RotatingFile.Write
  ) {
    shared = Shared(sink: sink, time: time, limitBytes: limitBytes, write: write)
  }

  /// Begins a use of a file; it is opened with the first bytes. Attempts with the same path share
  /// one writer.
  func use(_ file: OutputFile) -> OutputFileUse {
    shared.writers.withLock { writers in
      let writer = writers[file.path] ?? OutputFileWriter(file, shared)
      writers[file.path] = writer
      writer.began(file)
      return OutputFileUse(writer: writer)
    }
  }

  /// Waits until what has been handed over is written, at most `timeout`.
  package func close(timeout: Duration) {
    _ = shared.pending.wait(timeout: .now() + .milliseconds(Int(timeout.milliseconds)))
  }
}

/// One attempt's use of an output file.
struct OutputFileUse: Sendable {
  fileprivate let writer: OutputFileWriter

  func append(_ bytes: UnsafeRawBufferPointer) { writer.append(bytes) }

  /// Whether much waits for the file.
  var isBehind: Bool { writer.isBehind }

  /// To be called once, when nothing comes any more.
  func end() { writer.ended() }
}
