internal import CTaktTransfer

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
          return transfer.exchange.take(head: head, transfer.easy) ? count : 0
        } ?? 0
      }, with: CURLOPT_HEADERDATA, context)
    try easy.set(
      CURLOPT_WRITEFUNCTION,
      { bytes, _, count, context in
        ActiveTransfer.of(context).map {
          $0.exchange.take(body: UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
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
