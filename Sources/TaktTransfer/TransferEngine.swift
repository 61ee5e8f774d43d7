import CTaktTransfer

/// Serves all transfers of a process on one thread, a bounded number of them at once.
///
/// The thread is made when there is something to transfer, and ends when there has been nothing for
/// a while: connections are kept that long for the next transfer. Where the system gives no thread,
/// or libcurl is not installed, the one transfer fails. Safe from any thread.
package final class TransferEngine: Sendable {
  /// Starts a thread of the system's own that runs `body`.
  package typealias ThreadStart = @Sendable (_ body: @escaping @Sendable () -> Void) throws -> Void

  private let startThread: ThreadStart
  private let activeMax: Int
  private let inbox = TransferInbox()

  /// - Parameter activeMax: So many transfers are on their way at once; others wait for their turn.
  ///   Default 64.
  package init(activeMax: Int = 64, startThread: @escaping ThreadStart) {
    self.activeMax = activeMax
    self.startThread = startThread
  }

  /// Begins a request. Throws where there can be none; blocks for nothing but loading the library.
  package func start(_ request: HTTPRequest) throws(TransferFailure) -> RunningTransfer<HTTPReply> {
    try start(timeout: request.timeout) { HTTPExchange(request, for: $0) }
  }

  /// Begins a request whose result is handed to `reply`, on the thread of the transfers, which it is
  /// not to block. Throws where there can be none; blocks for nothing but loading the library.
  @discardableResult
  package func send(
    _ request: HTTPRequest,
    _ reply: @escaping @Sendable (Result<HTTPReply, TransferFailure>) -> Void
  ) throws(TransferFailure) -> RunningTransfer<HTTPReply> {
    try start(timeout: request.timeout, reply) { HTTPExchange(request, for: $0) }
  }

  /// Begins to send a mail; the reply says nothing but that it is sent.
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

  /// The caller has found no thread, and nobody else makes one meanwhile.
  private func startLoop(besides id: UInt64) throws(TransferFailure) {
    let failure: TransferFailure
    do {
      try startThread { [inbox, activeMax] in TransferLoop.run(inbox, activeMax: activeMax) }
      return
    } catch {
      failure = TransferFailure(.noThread, "\(error)")
    }
    // Others may have come since, and wait for the same thread.
    for submission in inbox.close() where submission.id != id {
      submission.makeExchange().fail(failure)
    }
    throw failure
  }
}
