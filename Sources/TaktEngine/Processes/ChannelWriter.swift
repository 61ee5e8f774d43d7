import Glibc

/// Writes to a child's standard input what there is room for, and the rest when there is. It exists
/// on the reactor's thread alone.
final class ChannelWriter {
  /// A child that is so far behind reads nothing at all: more is not kept for it.
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
        // Nobody reads it.
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
