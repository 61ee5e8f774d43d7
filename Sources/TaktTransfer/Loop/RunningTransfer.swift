import CTaktTransfer
import Dispatch
import Synchronization

/// A transfer from its start to its reply.
///
/// Safe from any thread; only one may `wait`.
package final class RunningTransfer<Reply: Sendable>: Sendable {
  /// The loop ends a transfer at its deadline. If the loop itself does not answer, the wait still
  /// ends this much later.
  private static var slack: Duration { .milliseconds(500) }

  private let result = Mutex<Result<Reply, TransferFailure>?>(nil)
  private let isSettled = DispatchSemaphore(value: 0)
  private let deadline: ContinuousClock.Instant
  private let withdraw: @Sendable () -> Void
  /// Receives the first result, on the thread that has it.
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

  /// Ends the transfer now, whatever the loop is doing.
  package func cancel() {
    settle(.failure(TransferFailure(.cancelled)))
    withdraw()
  }

  /// Blocks until there is a reply or a failure, the timeout at the latest.
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

  /// Only the first result counts.
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

/// A transfer's handle with the exchange that receives its callbacks. For the transfers' thread
/// only; outlives the use of its handle.
final class ActiveTransfer {
  let easy: EasyHandle
  let exchange: any Exchange

  init(_ exchange: any Exchange, timeout: Duration) throws(TransferFailure) {
    easy = try EasyHandle()
    self.exchange = exchange
    try exchange.configure(easy, timeout: timeout)
    // The loop keeps this object until the library is done with the handle.
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

  /// The transfer behind the library's pointer: the loop keeps it at least until the last callback.
  private static func of(_ context: UnsafeMutableRawPointer?) -> ActiveTransfer? {
    context.map { Unmanaged<ActiveTransfer>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// One kind of transfer: its use of a handle. For the transfers' thread only.
protocol Exchange: AnyObject {
  /// True if `sent` is to be called.
  var reportsCommands: Bool { get }
  /// Sets the options of the transfer. `timeout` is the time left.
  func configure(_ easy: EasyHandle, timeout: Duration) throws(TransferFailure)
  /// Takes a line of the answer's head, or of a mail server's reply; false ends the transfer.
  func receive(head bytes: UnsafeRawBufferPointer, _ easy: EasyHandle) -> Bool
  /// Takes a part of the answer's body; false ends the transfer.
  func receive(body bytes: UnsafeRawBufferPointer) -> Bool
  /// Fills the buffer with the bytes to send next and returns their count; 0 is the end.
  func next(into buffer: UnsafeMutableRawBufferPointer) -> Int
  func sent(command: UnsafeRawBufferPointer, _ easy: EasyHandle)
  func end(_ code: CURLcode, _ easy: EasyHandle)
  /// Ends the transfer without a result of the library.
  func fail(_ failure: TransferFailure)
}
