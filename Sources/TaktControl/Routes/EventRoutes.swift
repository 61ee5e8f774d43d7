import Dispatch
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import TaktCore

struct EventRoutes {
  /// The most concurrent readers.
  static let readersMax = 256
  private static let turnCount = 256
  /// The interval of heartbeats to a silent reader, which show that the scheduler answers; without
  /// them, the reader knows that takt hangs.
  private static let silence = TimeAmount.seconds(2)

  let ports: ControlPorts
  let readers: ReaderCount
  private let probe: PhaseProbe

  init(ports: ControlPorts, readers: ReaderCount) {
    self.ports = ports
    self.readers = readers
    probe = PhaseProbe(ports.scheduler)
  }

  func add(to routes: inout RouteList) {
    routes.get(
      "/api/v1/events",
      RouteAbout(
        "events", "All log records except lines of output, as server-sent events",
        .text(
          "An endless stream; without news, a comment every 2 s says that the scheduler answers",
          "text/event-stream"), .problem(429, "Too many event streams")
      ).taking(Self.after, RunParameter.job).reading(
        header: "Last-Event-ID", "The number to start after, as a browser sends it"
      ).explained(
        "Each event has its number as `id`, its kind as `event` and a JSON object as `data`. `event: "
          + "gap` has `from` and `to`, the numbers of events that were overwritten before the client "
          + "read them. If the given number is higher than the newest, it is from an earlier daemon, "
          + "and the stream starts with the oldest event. takt sends a comment if there is no event "
          + "for 2 seconds."), events)
  }

  private static let after = Parameter.integer(
    "after", 0...Int.max,
    "Start after this number. Default: Last-Event-ID, or new events only")

  @Sendable private func events(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let query = context.query
    var after = try query[Self.after].map { UInt64($0) }
    // A browser sends this when it reconnects.
    if after == nil, let last = request.headers[.lastEventID], !last.isEmpty {
      guard last.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt64(last) else {
        throw Problem(.badRequest, "Last-Event-ID must be the number of an event")
      }
      after = number
    }
    let job = try query[RunParameter.job]?.text
    guard let place = readers.enter(max: Self.readersMax) else {
      throw Problem(
        .tooMany, "there are already \(Self.readersMax) readers of events",
        detail: "Close one, or retry later.")
    }
    let start: UInt64
    if let after { start = after } else { start = await ports.readModel.read { $0.ring.last } }
    return Response(
      status: .ok,
      // Watching a connection for its end excludes another request on it.
      headers: [
        .contentType: "text/event-stream", .xAccelBuffering: "no", .connection: "close",
      ],
      body: ResponseBody { [ports, probe, loop = context.eventLoop] writer in
        // Holds the place as long as the stream lives.
        defer { withExtendedLifetime(place) {} }
        let (signals, signal) = AsyncStream.makeStream(
          of: Signal.self, bufferingPolicy: .bufferingNewest(1))
        let watch = await ports.readModel.watch { signal.yield(.news) }
        defer { ports.readModel.unwatch(watch) }
        // Keeps a quiet connection from being taken for a dead one.
        let beats = BeatGauge(every: Self.silence)
        let clock = loop.scheduleRepeatedTask(initialDelay: Self.silence, delay: Self.silence) {
          _ in
          if let late = beats.pop(), late > StallLog.least { ports.readModel.beat(late: late) }
          signal.yield(.silence)
        }
        defer { clock.cancel() }
        signal.yield(.news)
        try await request.body.consumeWithInboundCloseHandler { _ in
          try await Self.write(
            from: start, of: job, ports.readModel, signals, closing: readers, to: &writer
          ) {
            await probe.phase(within: Self.silence, on: loop) != nil
          }
        } onInboundClosed: {
          signal.finish()
        }
        try await writer.finish(nil)
      })
  }

  private enum Signal {
    case news, silence
  }

  private static func write(
    from start: UInt64, of job: String?, _ readModel: ControlReadModel,
    _ signals: AsyncStream<Signal>, closing readers: ReaderCount,
    to writer: inout any ResponseBodyWriter, isAnswering: () async -> Bool
  ) async throws {
    var position = start
    for await signal in signals {
      var hasWritten = false
      while true {
        let from = position
        let (lines, upTo, gap) = await readModel.read { state in
          // A number beyond the newest is from a previous daemon.
          let from = from > state.ring.last ? 0 : from
          let gap = from + 1 < state.ring.first ? state.ring.first : nil
          let found = state.ring.read(after: from, count: turnCount) {
            job == nil || $0.job == job
          }
          let lines = found.lines.map { line in
            (line.event.record.event, line.event.number, line.json)
          }
          return (lines, found.upTo, gap)
        }
        if let gap {
          let text = "event: gap\ndata: {\"from\":\(from + 1),\"to\":\(gap - 1)}\n\n"
          try await writer.write(ByteBuffer(string: text))
          hasWritten = true
        }
        if !lines.isEmpty {
          var bytes: [UInt8] = []
          for (event, number, json) in lines {
            bytes += "id: \(number)\nevent: \(event.rawValue)\ndata: ".utf8
            bytes += json
            bytes += "\n\n".utf8
          }
          try await writer.write(ByteBuffer(bytes: bytes))
          hasWritten = true
        }
        position = upTo
        if lines.count < turnCount { break }
      }
      if readers.isClosing { return }
      if !hasWritten, signal == .silence, await isAnswering() {
        try await writer.write(ByteBuffer(string: ": \n\n"))
      }
    }
  }
}

/// The number of readers. Safe from any thread.
final class ReaderCount: Sendable {
  /// A reader's place, freed at the end of this object's life.
  final class Place: Sendable {
    private let readers: ReaderCount
    fileprivate init(_ readers: ReaderCount) { self.readers = readers }
    deinit { readers.readerEnded() }
  }

  private let count = Atomic<Int>(0)
  private let closing = Atomic<Bool>(false)
  private let empty = DispatchSemaphore(value: 0)

  /// Nil if there is no place.
  func enter(max: Int) -> Place? {
    let place = Place(self)
    return count.add(1, ordering: .relaxed).newValue <= max ? place : nil
  }

  var current: Int { count.load(ordering: .relaxed) }

  /// True if all readers are to end.
  var isClosing: Bool { closing.load(ordering: .relaxed) }

  /// Makes all readers end.
  func close() { closing.store(true, ordering: .relaxed) }

  func waitForNone(timeout: DispatchTimeInterval) {
    let end = DispatchTime.now() + timeout
    while current > 0, empty.wait(timeout: end) == .success {}
  }

  private func readerEnded() {
    if count.subtract(1, ordering: .relaxed).newValue == 0 { empty.signal() }
  }
}

extension HTTPField.Name {
  // The texts are valid names, so none is nil.
  fileprivate static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .age
  /// Tells a proxy not to buffer the stream.
  static let xAccelBuffering = HTTPField.Name("X-Accel-Buffering") ?? .age
}

/// The delay of a periodic action, each time from the time before.
private final class BeatGauge: Sendable {
  private let interval: TimeAmount
  private let last = Mutex(NIODeadline.now())

  init(every interval: TimeAmount) { self.interval = interval }

  /// Notes the action: returns its delay, nil if it is early.
  func pop() -> Duration? {
    let now = NIODeadline.now()
    let due = last.withLock { last in
      defer { last = now }
      return last + interval
    }
    return now > due ? .nanoseconds((now - due).nanoseconds) : nil
  }
}
