import TaktCore

/// A conversation with a child over pipes of its own, separate from its output: the child reads its
/// standard input and writes descriptor 3.
///
/// Made on any thread; used only on the reactor's after the child's start.
protocol ChildChannel: AnyObject, Sendable {
  func started(_ line: ChildLine)

  /// Called with what the child has written to descriptor 3.
  func received(_ bytes: UnsafeRawBufferPointer)

  /// Called when the child has closed descriptor 3, or ended.
  func closed()

  /// Called before a signal other than KILL that stops the child. Returns true if the signal is to
  /// be sent.
  func handlesSignal() -> Bool

  /// Turns the end of the child's process into the result of the attempt.
  func adjusted(_ result: AttemptResult) -> AttemptResult
}

/// The host's end of a channel. Used on the reactor's thread only.
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

  /// Sends a line without ever blocking.
  func send(_ bytes: [UInt8]) { writer.send(bytes) }

  /// Closes the child's standard input, and gives the child its grace to end.
  func close() {
    writer.close()
    onLast()
  }

  /// Kills the child and all that belongs to it.
  func kill() { onKill() }
}
