import TaktCore

/// What talks with a child over pipes of its own, besides what the child prints: the child reads its
/// standard input and writes descriptor 3.
///
/// Made on any thread; from the child's start on it is used on the reactor's alone.
protocol ChildChannel: AnyObject, Sendable {
  func started(_ line: ChildLine)

  /// It has written to descriptor 3.
  func received(_ bytes: UnsafeRawBufferPointer)

  /// It has closed descriptor 3, or ended.
  func closed()

  /// It is to be stopped by a signal other than KILL. Answers whether it shall be sent.
  func handlesSignal() -> Bool

  /// What came of it: its process has ended so.
  func adjusted(_ result: AttemptResult) -> AttemptResult
}

/// The host's end of a channel. It exists on the reactor's thread alone.
final class ChildLine {
  private let writer: ChannelWriter
  private let onKill: () -> Void
  private let onLast: () -> Void
  let output: AttemptOutput

  init(
    writer: ChannelWriter, output: AttemptOutput, onKill: @escaping () -> Void,
    onLast: @escaping () -> Void
  ) {
    self.writer = writer
    self.output = output
    self.onKill = onKill
    self.onLast = onLast
  }

  /// Sends a line; it never waits.
  func send(_ bytes: [UInt8]) { writer.send(bytes) }

  /// Says no more: the child finds its standard input at an end, and has its grace to end.
  func close() {
    writer.close()
    onLast()
  }

  /// Ends the child and all that belongs to it.
  func kill() { onKill() }
}
