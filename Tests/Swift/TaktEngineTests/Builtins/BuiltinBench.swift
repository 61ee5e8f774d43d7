import Synchronization

@testable import TaktCore
@testable import TaktEngine
import TaktTime

/// Runs built-ins without a scheduler, and waits for their ends as events.
final class BuiltinBench: Sendable {
  /// The log, as text.
  final class Lines: Observer {
    private let records = Mutex<[LogRecord]>([])
    func observe(_ new: [LogRecord]) { records.withLock { $0 += new } }
    /// All of the log, in its order.
    var all: [LogRecord] { records.withLock(\.self) }
    var texts: [String] {
      records.withLock { records in
        records.compactMap { if case .text(let text) = $0[.line] { text } else { nil } }
      }
    }
  }

  struct End: Sendable {
    var run: RunID
    var report: AttemptReport
  }

  let lines = Lines()
  /// The logged part of a command that is handed over.
  let sink = RecordingSink()
  let files: OutputFiles
  let runner: BuiltinRunner
  let router: ActionRouter
  private let ends: AsyncStream<End>

  init(_ registry: BuiltinRegistry = .standard) throws {
    let (stream, continuation) = AsyncStream<End>.makeStream()
    ends = stream
    let report: @Sendable (SchedulerEvent) -> Void = { event in
      if case .actionEnded(let run, let report) = event {
        continuation.yield(End(run: run, report: report))
      }
    }
    files = OutputFiles(sink: sink, time: SystemTimeSource())
    let processes = try ProcessRunner(
      reactor: try Reactor(), sink: sink, time: SystemTimeSource(), files: files)
    let commands = CommandRunner(processes: processes, report: report)
    let batches = Batches()
    runner = BuiltinRunner(
      registry: registry, observer: lines, time: SystemTimeSource(), files: files,
      commands: commands
    ) { events in
      batches.count(events.count)
      for event in events { report(event) }
    }
    router = ActionRouter(commands: commands, builtins: runner)
    self.reported = batches
  }

  /// The number of ends in each report.
  final class Batches: Sendable {
    private let counts = Mutex<[Int]>([])
    func count(_ events: Int) { counts.withLock { $0.append(events) } }
    var all: [Int] { counts.withLock(\.self) }
  }
  let reported: Batches

  func request(
    _ name: String, _ parameters: Parameters, run: UInt64 = 1, facts: RunFacts? = nil,
    _ change: (inout JobSpec) -> Void = { _ in }
  ) -> AttemptRequest {
    // The defaults, as the loading of a file fills them in.
    var filled = parameters
    for schema in BuiltinRegistry.standard.parameters(of: name) ?? []
    where filled[schema.name] == nil {
      filled[schema.name] = schema.defaultValue
    }
    guard let job = JobName("job") else { fatalError("a name of three letters") }
    var spec = JobSpec(
      name: job, timing: Timing(schedule: Schedule(every: Every(.seconds(1)))),
      action: .use(name, filled))
    change(&spec)
    return AttemptRequest(
      run: RunID(run), attempt: 1, spec: spec, slot: WallInstant(milliseconds: 1_790_000_000_123),
      facts: facts)
  }

  /// This many ends of attempts, in order.
  func ends(_ count: Int) async -> [End] {
    var result: [End] = []
    for await end in ends {
      result.append(end)
      if result.count == count { break }
    }
    return result
  }

  /// Runs one built-in to its end.
  func run(
    _ name: String, _ parameters: Parameters, facts: RunFacts? = nil,
    _ change: (inout JobSpec) -> Void = { _ in }
  ) async -> AttemptResult {
    router.start([request(name, parameters, facts: facts, change)])
    return await ends(1)[0].report.result
  }

  static func facts(output: String = "") -> RunFacts {
    RunFacts(
      hook: .onFailure, run: RunID(7), attempts: 3, end: RunEnd(.failed, .exit(1)),
      duration: .milliseconds(1200), lateness: .milliseconds(4), failureStreak: 2,
      output: KeptOutput(head: Array(output.utf8)))
  }
}

extension ParameterValue: ExpressibleByStringLiteral {
  /// A text.
  public init(stringLiteral value: String) { self = .string(value) }
}
