import Glibc
import TaktCore

/// The pipes between a child and its channel. Used on the reactor's thread only.
final class ChildConversation {
  let channel: any ChildChannel
  private let writer: ChannelWriter
  private let loop: ReactorLoop
  private var control: Int32

  /// Bytes read in one turn, so that one talkative child does not keep the others waiting.
  private static let turnBytes = 65_536
  /// More than a pipe holds.
  private static let lastBytes = 1_048_576

  /// Owns both descriptors, which must not block, and notifies the channel that the child has
  /// started.
  init(
    _ channel: any ChildChannel, input: Int32, control: Int32, output: AttemptOutput,
    on loop: ReactorLoop, onKill: @escaping () -> Void, onLast: @escaping () -> Void
  ) {
    self.channel = channel
    self.loop = loop
    self.control = control
    writer = ChannelWriter(input, on: loop)
    loop.watch(control) { [weak self] _ in self?.read(Self.turnBytes) }
    channel.started(ChildLine(writer: writer, output: output, onKill: onKill, onLast: onLast))
  }

  func handlesSignal(_ number: Int32) -> Bool {
    number == SIGKILL || channel.handlesSignal()
  }

  /// Reads the child's last messages and closes its pipes. Returns the result as the channel
  /// adjusts it.
  func end(with result: AttemptResult) -> AttemptResult {
    read(Self.lastBytes)
    close()
    writer.close()
    return channel.adjusted(result)
  }

  private func read(_ limitBytes: Int) {
    var left = limitBytes
    withUnsafeTemporaryAllocation(byteCount: Self.turnBytes, alignment: 1) { buffer in
      while left > 0, control >= 0 {
        let count = Glibc.read(control, buffer.baseAddress, buffer.count)
        if count > 0 {
          left -= count
          channel.received(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        } else if count < 0, errno == EINTR {
          continue
        } else {
          if count == 0 || errno != EAGAIN { close() }
          return
        }
      }
    }
  }

  private func close() {
    guard control >= 0 else { return }
    loop.unwatch(control)
    Glibc.close(control)
    control = -1
    channel.closed()
  }
}

/// Writes to a child's standard input as far as there is room, and the rest later. Used on the
/// reactor's thread only.
final class ChannelWriter {
  /// Bytes that are kept. A child that is further behind reads nothing at all.
  private static let waitingBytesMax = 8 << 20

  private var descriptor: Int32
  private var waiting: [UInt8] = []
  private var isWatched = false
  private let loop: ReactorLoop

  /// Owns the descriptor, which must not block.
  init(_ descriptor: Int32, on loop: ReactorLoop) {
    self.descriptor = descriptor
    self.loop = loop
  }

  func send(_ bytes: [UInt8]) {
    guard descriptor >= 0, waiting.count < Self.waitingBytesMax else { return }
    waiting += bytes
    if !isWatched { write() }
  }

  func close() {
    guard descriptor >= 0 else { return }
    if isWatched { loop.unwatch(descriptor) }
    Glibc.close(descriptor)
    descriptor = -1
    waiting = []
  }

  private func write() {
    while !waiting.isEmpty {
      let count = Glibc.write(descriptor, waiting, waiting.count)
      if count > 0 {
        waiting.removeFirst(count)
      } else if errno == EAGAIN {
        return watch()
      } else if errno != EINTR {
        // The read end is closed.
        return close()
      }
    }
    if isWatched { loop.unwatch(descriptor) }
    isWatched = false
  }

  private func watch() {
    guard !isWatched else { return }
    isWatched = loop.watchWritable(descriptor) { [weak self] _ in self?.write() }
  }
}
