import CTaktTransfer

/// Serves all transfers of a process on one thread, a bounded number of them at once.
///
/// The thread starts when there is work, and ends when there has been none for a while: connections
/// are kept that long for the next transfer. If the system gives no thread, or libcurl is not
/// installed, only that transfer fails. Safe from any thread.
package final class TransferEngine: Sendable {
  /// Starts a system thread that runs `body`.
  package typealias ThreadStart = @Sendable (_ body: @escaping @Sendable () -> Void) throws -> Void

  private let startThread: ThreadStart
  private let activeMax: Int
  private let inbox = TransferInbox()

  /// - Parameter activeMax: the most transfers at once; others wait for their turn.
  package init(activeMax: Int = 64, startThread: @escaping ThreadStart) {
    self.activeMax = activeMax
    self.startThread = startThread
  }

  /// Throws if no request can start; blocks only to load the library.
  package func start(_ request: HTTPRequest) throws(TransferFailure) -> RunningTransfer<HTTPReply> {
    try start(timeout: request.timeout) { HTTPExchange(request, for: $0) }
  }

  /// Starts a request and hands its result to `reply`, on the transfers' thread, which it must not
  /// block. Throws if no request can start; blocks only to load the library.
  @discardableResult
  package func send(
    _ request: HTTPRequest,
    _ reply: @escaping @Sendable (Result<HTTPReply, TransferFailure>) -> Void
  ) throws(TransferFailure) -> RunningTransfer<HTTPReply> {
    try start(timeout: request.timeout, reply) { HTTPExchange(request, for: $0) }
  }

  /// A reply without content: the mail is sent.
  package func start(_ request: MailRequest) throws(TransferFailure) -> RunningTransfer<Void> {
    try start(timeout: request.timeout) { MailExchange(request, for: $0) }
  }

  private func start<Reply>(
    timeout: Duration, _ onSettled: (@Sendable (Result<Reply, TransferFailure>) -> Void)? = nil,
    _ make: @escaping @Sendable (RunningTransfer<Reply>) -> any Exchange
  ) throws(TransferFailure) -> RunningTransfer<Reply> {
    try CurlLibrary.load()
    let deadline = ContinuousClock.now + min(timeout, .seconds(365 * 86_400))
    let id = inbox.nextID()
    let running = RunningTransfer<Reply>(deadline: deadline, onSettled: onSettled) { [inbox] in
      inbox.withdraw(id)
    }
    let submission = TransferInbox.Submission(id: id, deadline: deadline) { make(running) }
    if inbox.submit(submission) { try startLoop(besides: id) }
    return running
  }

  /// Called by the one caller that has found no thread.
  private func startLoop(besides id: UInt64) throws(TransferFailure) {
    let failure: TransferFailure
    do {
      try startThread { [inbox, activeMax] in TransferLoop.run(inbox, activeMax: activeMax) }
      return
    } catch {
      failure = TransferFailure(.noThread, "\(error)")
    }
    // Other callers may wait for the same thread by now.
    for submission in inbox.close() where submission.id != id {
      submission.makeExchange().fail(failure)
    }
    throw failure
  }
}
