import CTaktTransfer
import Dispatch
import Synchronization

/// A transfer that was asked for, until its reply.
///
/// Safe from any thread; `wait` is for one.
package final class RunningTransfer<Reply: Sendable>: Sendable {
  /// The loop ends a transfer at its deadline. Where the loop itself does not answer, the wait ends
  /// this much later all the same.
  private static var slack: Duration { .milliseconds(500) }

  private let result = Mutex<Result<Reply, TransferFailure>?>(nil)
  private let isSettled = DispatchSemaphore(value: 0)
  private let deadline: ContinuousClock.Instant
  private let withdraw: @Sendable () -> Void
  /// Gets the first result, on the thread that has it.
  private let onSettled: (@Sendable (Result<Reply, TransferFailure>) -> Void)?

  init(
    deadline: ContinuousClock.Instant,
    onSettled: (@Sendable (Result<Reply, TransferFailure>) -> Void)? = nil,
    withdraw: @escaping @Sendable () -> Void
  ) {
    self.deadline = deadline
    self.onSettled = onSettled
    self.withdraw = withdraw
  }

  /// Ends it now, whatever the loop is doing.
  package func cancel() {
    settle(.failure(TransferFailure(.cancelled)))
    withdraw()
  }

  /// Blocks the thread until there is a reply or a failure, the timeout at the latest.
  package func wait() throws(TransferFailure) -> Reply {
    let left = min(deadline - .now + Self.slack, .seconds(366 * 86_400))
    let bound = DispatchTime.now() + .milliseconds(Int(max(left, .zero) / .milliseconds(1)))
    if isSettled.wait(timeout: bound) == .timedOut {
      settle(.failure(TransferFailure(.timeout)))
      withdraw()
    }
    guard let result = result.withLock(\.self) else { throw TransferFailure(.timeout) }
    return try result.get()
  }

  /// The first result counts.
  func settle(_ new: Result<Reply, TransferFailure>) {
    let isFirst = result.withLock { result -> Bool in
      guard result == nil else { return false }
      result = new
      return true
    }
    guard isFirst else { return }
    isSettled.signal()
    onSettled?(new)
  }
}

/// A transfer on its way: the handle, and who gets what comes. It exists on the thread of the
/// transfers alone, and longer than its handle is used.
final class ActiveTransfer {
  let easy: EasyHandle
  let exchange: any Exchange

  init(_ exchange: any Exchange, timeout: Duration) throws(TransferFailure) {
    easy = try EasyHandle()
    self.exchange = exchange
    try exchange.configure(easy, timeout: timeout)
    // The loop keeps this object until the handle is out of the library's hands.
    let context = Unmanaged.passUnretained(self).toOpaque()
    try easy.set(
      CURLOPT_HEADERFUNCTION,
      { bytes, _, count, context in
        ActiveTransfer.of(context).map { transfer in
          let head = UnsafeRawBufferPointer(start: bytes, count: count)
          return transfer.exchange.receive(head: head, transfer.easy) ? count : 0
        } ?? 0
      }, with: CURLOPT_HEADERDATA, context)
    try easy.set(
      CURLOPT_WRITEFUNCTION,
      { bytes, _, count, context in
        ActiveTransfer.of(context).map {
          $0.exchange.receive(body: UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
        } ?? 0
      }, with: CURLOPT_WRITEDATA, context)
    try easy.set(
      CURLOPT_READFUNCTION,
      { bytes, _, count, context in
        ActiveTransfer.of(context)?.exchange.next(
          into: UnsafeMutableRawBufferPointer(start: bytes, count: count)) ?? 0
      }, with: CURLOPT_READDATA, context)
    guard exchange.reportsCommands else { return }
    try easy.setDebug(
      { _, type, bytes, count, context in
        if type == CURLINFO_HEADER_OUT, let transfer = ActiveTransfer.of(context) {
          transfer.exchange.sent(
            command: UnsafeRawBufferPointer(start: bytes, count: count), transfer.easy)
        }
        return 0
      }, context)
  }

  /// The transfer behind the pointer that the library was given: the loop holds it at least until
  /// the last callback.
  private static func of(_ context: UnsafeMutableRawPointer?) -> ActiveTransfer? {
    context.map { Unmanaged<ActiveTransfer>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// What one kind of transfer does with its handle. An exchange exists on the thread of the
/// transfers alone.
protocol Exchange: AnyObject {
  /// Whether `sent` is called.
  var reportsCommands: Bool { get }
  /// Says what is to be transferred. `timeout` is what is left of it.
  func configure(_ easy: EasyHandle, timeout: Duration) throws(TransferFailure)
  /// A line of the answer's head, or of a mail server's reply; false ends the transfer.
  func receive(head bytes: UnsafeRawBufferPointer, _ easy: EasyHandle) -> Bool
  /// A part of the answer's body; false ends the transfer.
  func receive(body bytes: UnsafeRawBufferPointer) -> Bool
  /// Fills the buffer with what is sent next and returns how much that is; 0 is the end.
  func next(into buffer: UnsafeMutableRawBufferPointer) -> Int
  func sent(command: UnsafeRawBufferPointer, _ easy: EasyHandle)
  /// The library has done its work, with this result.
  func end(_ code: CURLcode, _ easy: EasyHandle)
  /// It ends without the library's work.
  func fail(_ failure: TransferFailure)
}
