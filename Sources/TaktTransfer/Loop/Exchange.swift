internal import CTaktTransfer

/// What one kind of transfer does with its handle. An exchange exists on the thread of the
/// transfers alone.
protocol Exchange: AnyObject {
  /// Whether `sent` is called.
  var reportsCommands: Bool { get }
  /// Says what is to be transferred. `timeout` is what is left of it.
  func configure(_ easy: EasyHandle, timeout: Duration) throws(TransferFailure)
  /// A line of the answer's head, or of a mail server's reply; false ends the transfer.
  func take(head bytes: UnsafeRawBufferPointer, _ easy: EasyHandle) -> Bool
  /// A part of the answer's body; false ends the transfer.
  func take(body bytes: UnsafeRawBufferPointer) -> Bool
  /// Fills the buffer with what is sent next and returns how much that is; 0 is the end.
  func next(into buffer: UnsafeMutableRawBufferPointer) -> Int
  /// A command has been sent.
  func sent(command: UnsafeRawBufferPointer, _ easy: EasyHandle)
  /// The library has done its work, with this result.
  func end(_ code: CURLcode, _ easy: EasyHandle)
  /// It ends without the library's work.
  func fail(_ failure: TransferFailure)
}
