import Synchronization
import TaktCore
import TaktTime

/// Writes the output of several attempts to one file, on the pool that all files share.
///
/// Safe from any thread; never blocks its caller.
final class OutputFileWriter: Sendable {
  private struct Waiting {
    var chunks: [[UInt8]] = []
    /// The newest ones count if jobs with one path differ.
    var limits: OutputFile
    var users = 0
    var isScheduled = false
    /// The bytes in the chunks, and those being written.
    var bytes = 0
    var droppedBytes = 0
  }

  /// The state that only work of the pool for this file touches, one piece at a time.
  private struct Writing {
    var file: RotatingFile
    var trouble: OutputFileError?
    var lostBytes = 0
  }

  private static let chunkBytes = 65_536

  private let shared: OutputFiles.Shared
  private let waiting: Mutex<Waiting>
  /// Locked only by the pool's work for this file, which is serial: no thread ever waits for it.
  private let writing: Mutex<Writing>

  init(_ limits: OutputFile, _ shared: OutputFiles.Shared) {
    self.shared = shared
    waiting = Mutex(Waiting(limits: limits))
    writing = Mutex(Writing(file: RotatingFile(path: limits.path, write: shared.write)))
  }

  var isUsed: Bool { waiting.withLock { $0.users > 0 } }

  /// True if so much waits that output of a fast command would soon be dropped.
  var isBehind: Bool { waiting.withLock { $0.bytes > shared.limitBytes / 4 } }

  /// True if the log has a trouble that may still exist.
  var isTroubled: Bool { writing.withLock { $0.trouble != nil } }

  func began(_ limits: OutputFile) {
    waiting.withLock {
      $0.limits = limits
      $0.users += 1
    }
  }

  func ended() {
    let isLast = waiting.withLock {
      $0.users -= 1
      return $0.users == 0
    }
    if isLast {
      _ = shared.perform(for: waiting.withLock(\.limits.path)) { [self] in closeIfUnused() }
    }
  }

  /// Queues bytes, or drops them if too many wait already.
  func append(_ bytes: UnsafeRawBufferPointer) {
    guard reserve(bytes.count) else {
      let isFirst = waiting.withLock { waiting in
        defer { waiting.droppedBytes += bytes.count }
        return waiting.droppedBytes == 0
      }
      if isFirst { logMessage(.warning, "is too slow; output is dropped", nil) }
      return
    }
    let isFirst = waiting.withLock { waiting in
      if let last = waiting.chunks.indices.last,
        waiting.chunks[last].count + bytes.count <= Self.chunkBytes
      {
        waiting.chunks[last].append(contentsOf: bytes)
      } else {
        waiting.chunks.append(Array(bytes))
      }
      defer { waiting.isScheduled = true }
      return !waiting.isScheduled
    }
    guard isFirst else { return }
    let path = waiting.withLock(\.limits.path)
    if !shared.perform(for: path, { [self] in drain() }) {
      // The next bytes try again.
      waiting.withLock { $0.isScheduled = false }
    }
  }

  /// True if so many more bytes may wait, for this file and for all.
  private func reserve(_ bytes: Int) -> Bool {
    let fits = waiting.withLock { waiting in
      guard waiting.bytes + bytes <= shared.limitBytes else { return false }
      waiting.bytes += bytes
      return true
    }
    guard fits else { return false }
    if shared.reserve(bytes) { return true }
    waiting.withLock { $0.bytes -= bytes }
    return false
  }

  private func release(_ bytes: Int) {
    waiting.withLock { $0.bytes -= bytes }
    shared.release(bytes)
  }

  private func drain() {
    let (chunks, limits) = waiting.withLock { waiting in
      defer {
        waiting.chunks = []
        waiting.isScheduled = false
      }
      return (waiting.chunks, waiting.limits)
    }
    for chunk in chunks {
      writing.withLock { write(chunk, limits, &$0) }
      release(chunk.count)
    }
  }

  private func write(_ chunk: [UInt8], _ limits: OutputFile, _ writing: inout Writing) {
    var written = 0
    do throws(OutputFileError) {
      try writing.file.append(
        chunk, within: limits, at: shared.time.monotonic, written: &written)
      guard writing.trouble != nil else { return }
      logMessage(
        .notice, "can be written again; \(writing.lostBytes) bytes are missing", writing.lostBytes)
      writing.trouble = nil
      writing.lostBytes = 0
    } catch {
      writing.lostBytes += chunk.count - written
      if writing.trouble == nil {
        logMessage(.warning, "cannot be written: \(error.sentence)", nil)
      }
      writing.trouble = error
    }
  }

  /// Closes the file, unless it is used again.
  private func closeIfUnused() {
    guard !isUsed else { return }
    writing.withLock { $0.file.close() }
    let dropped = waiting.withLock { waiting in
      defer { waiting.droppedBytes = 0 }
      return waiting.droppedBytes
    }
    if dropped > 0 {
      logMessage(.warning, "was too slow; \(dropped) bytes are missing", dropped)
    }
    shared.forget(self, waiting.withLock { $0.limits.path })
  }

  private func logMessage(_ level: LogLevel, _ what: String, _ dropped: Int?) {
    let path = waiting.withLock { $0.limits.path }
    shared.sink.record(
      level, .scheduler,
      [LogField(.message, .text("output file '\(path)' \(what)"))]
        + (dropped.map { [LogField(.dropped, .number(Int64($0)))] } ?? []))
  }
}
