import Hummingbird
import NIOCore
import Synchronization
import TaktCore

/// The live output of a run. A reader that is too slow loses the excess, and is notified.
final class OutputStream: Sendable {
  /// The most bytes that wait for a slow reader.
  private static let waitingBytesMax = 1 << 20

  private struct State {
    var waiting: [UInt8] = []
    var dropped = 0
    var isOver = false
    /// Encodes bytes as lines of JSON; nil for plain bytes.
    var records: OutputRecords?

    mutating func apply(_ event: LiveOutputEvent) {
      switch event {
      case .before(let kept): waiting += records?.lines(of: kept, attempt: nil) ?? kept.shown
      case .bytes(let printed, let mark):
        let bytes = records?.lines(of: printed, mark) ?? printed
        if waiting.count + bytes.count > OutputStream.waitingBytesMax {
          dropped += printed.count
        } else {
          waiting += bytes
        }
      case .end: isOver = true
      }
    }

    mutating func popWaiting() -> (bytes: [UInt8], isOver: Bool) {
      var bytes = waiting
      if dropped > 0 {
        bytes +=
          records == nil
          ? Array("\n… \(dropped) bytes came too fast …\n".utf8) : OutputRecords.gap(dropped)
      }
      (waiting, dropped) = ([], 0)
      return (bytes, isOver)
    }
  }

  private let output: any LiveOutput
  private let use: LiveOutputUse
  private let shared: Shared
  private let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation

  private final class Shared: Sendable {
    let state = Mutex(State())
  }

  private let isRecords: Bool

  /// Nil if the run is not in progress.
  ///
  /// - Parameter asRecords: true for lines of JSON.
  init?(of run: RunID, from output: any LiveOutput, asRecords: Bool = false) {
    isRecords = asRecords
    let (signals, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let shared = Shared()
    if asRecords { shared.state.withLock { $0.records = OutputRecords() } }
    let use = output.follow(run) { event in
      shared.state.withLock { $0.apply(event) }
      signal.yield()
    }
    guard let use else { return nil }
    self.output = output
    self.use = use
    self.shared = shared
    self.signals = signals
    self.signal = signal
  }

  deinit { output.unfollow(use) }

  /// Continues until the run ends, or the client disconnects.
  ///
  /// - Parameter place: this reader's, held while the stream lives.
  func response(to request: Request, holding place: ReaderCount.Place) -> Response {
    Response(
      status: .ok,
      // Watching a connection for its end excludes another request on it.
      headers: [
        .contentType: isRecords ? "application/x-ndjson" : "text/plain; charset=utf-8",
        .xAccelBuffering: "no", .connection: "close",
      ],
      body: ResponseBody { [self] writer in
        defer { withExtendedLifetime(place) {} }
        try await request.body.consumeWithInboundCloseHandler { _ in
          for await _ in signals {
            let (bytes, isOver) = shared.state.withLock { $0.popWaiting() }
            if !bytes.isEmpty { try await writer.write(ByteBuffer(bytes: bytes)) }
            if isOver { break }
          }
        } onInboundClosed: { [signal] in
          signal.finish()
        }
        try await writer.finish(nil)
      })
  }
}
