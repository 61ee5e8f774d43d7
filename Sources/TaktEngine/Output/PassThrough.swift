import Dispatch
import Glibc
import Synchronization
package import TaktSystem

/// Passes a run's output to takt's own standard output and error, byte by byte as it comes. If a
/// reader is slow the command waits, as it would without takt; takt itself does not.
///
/// Safe from any thread.
package final class PassThrough: Sendable {
  private let lanes: [Lane]

  /// Starts a thread for each of the two descriptors, which stay open.
  ///
  /// - Parameter limitBytes: The bytes of a stream that may wait for its reader before the command
  ///   does. Default 1 MiB.
  package init(stdout: Int32, stderr: Int32, limitBytes: Int = 1 << 20) throws(SystemError) {
    lanes = [Lane(stdout, limitBytes), Lane(stderr, limitBytes)]
    for lane in lanes { try Thread.start(name: "takt-output") { lane.run() } }
  }

  package func line(_ bytes: [UInt8]) {
    (bytes + [UInt8(ascii: "\n")]).withUnsafeBytes { receive($0, from: .stdout) }
  }

  /// Waits until all has been read; after `hurry` at most two seconds.
  package func close() {
    for lane in lanes { lane.close() }
  }

  /// Called when waiting for readers should end.
  package func hurry() {
    for lane in lanes { lane.hurry() }
  }

  func receive(_ bytes: UnsafeRawBufferPointer, from stream: StandardStream) {
    lane(of: stream).receive(bytes)
  }

  /// True if a stream's reader is so far behind that no more is to be read; `body` is then called
  /// once, from another thread, when that has changed. False, without a call, if there is room.
  func isFull(_ stream: StandardStream, then body: @escaping @Sendable () -> Void) -> Bool {
    lane(of: stream).isFull(then: body)
  }

  /// The system's error if output could not be written, other than a closed reader; nil without
  /// one.
  package var failure: String? { lanes.lazy.compactMap(\.failure).first }

  /// True if this stream has lost its reader for good.
  func isClosed(_ stream: StandardStream) -> Bool { lane(of: stream).isClosed }

  private func lane(of stream: StandardStream) -> Lane { lanes[stream == .stderr ? 1 : 0] }
}

/// One descriptor with the bytes that wait for its reader.
private final class Lane: Sendable {
  private struct State {
    var waiting: [UInt8] = []
    var isWriting = false
    var onRoom: [@Sendable () -> Void] = []
    var isHurried = false
    var isClosed = false
    var failure: String?

    var isEmpty: Bool { waiting.isEmpty && !isWriting }
  }

  private let descriptor: Int32
  private let limitBytes: Int
  private let state = Mutex(State())
  private let filled = DispatchSemaphore(value: 0)
  /// Signalled whenever all is written, and at a hurry.
  private let changed = DispatchSemaphore(value: 0)

  init(_ descriptor: Int32, _ limitBytes: Int) {
    self.descriptor = descriptor
    self.limitBytes = limitBytes
  }

  func receive(_ bytes: UnsafeRawBufferPointer) {
    let isFirst = state.withLock { state in
      defer { state.waiting.append(contentsOf: bytes) }
      return state.waiting.isEmpty
    }
    if isFirst { filled.signal() }
  }

  func isFull(then body: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      guard state.waiting.count >= limitBytes else { return false }
      state.onRoom.append(body)
      return true
    }
  }

  var failure: String? { state.withLock(\.failure) }

  var isClosed: Bool { state.withLock(\.isClosed) }

  func close() {
    while !state.withLock({ $0.isEmpty || $0.isHurried }) { changed.wait() }
    let end = DispatchTime.now() + 2
    while !state.withLock(\.isEmpty), changed.wait(timeout: end) == .success {}
  }

  func hurry() {
    state.withLock { $0.isHurried = true }
    changed.signal()
  }

  func run() {
    while true {
      filled.wait()
      let (bytes, onRoom) = state.withLock { state in
        defer {
          state.waiting = []
          state.onRoom = []
          state.isWriting = true
        }
        return (state.waiting, state.onRoom)
      }
      write(bytes)
      for body in onRoom { body() }
      state.withLock { $0.isWriting = false }
      changed.signal()
    }
  }

  /// Bytes that cannot be written, because the reader is gone or the disk is full, are dropped; the
  /// failure is reported at the end.
  private func write(_ bytes: [UInt8]) {
    guard let number = bytes.write(to: descriptor).number else { return }
    state.withLock { state in
      state.isClosed = true
      if number != EPIPE { state.failure = SystemError.text(number) }
    }
  }
}
