import FormerCore
import TaktTime

/// Where the two cores part, in words.
struct Difference: Sendable, CustomStringConvertible {
  private(set) var description: String

  init(story: [String], what: String, present: String, former: String) {
    description =
      story.joined(separator: "\n") + "\n\(what):\n  present \(present)\n  former  \(former)"
  }

  init(
    story: [String], effects: [FormerCore.SchedulerEffect], former: [FormerCore.SchedulerEffect]
  ) {
    let place = zip(effects, former).prefix { $0 == $1 }.count
    func at(_ list: [FormerCore.SchedulerEffect]) -> FormerCore.SchedulerEffect? {
      place < list.count ? list[place] : nil
    }
    let (present, past) = (at(effects), at(former))
    self.init(
      story: story, what: "effect \(place + 1) of \(effects.count), former \(former.count)",
      present: present?.words ?? "nothing", former: past?.words ?? "nothing")
    if let present, let past, present.words == past.words {
      description += "\n  present \(present)\n  former  \(past)"
    }
    description += "\nall effects, present:\n" + Self.lines(effects)
    description += "\nall effects, former:\n" + Self.lines(former)
  }

  private static func lines(_ effects: [FormerCore.SchedulerEffect]) -> String {
    effects.prefix(40).map { "  \($0.words)" }.joined(separator: "\n")
  }
}

extension FormerCore.SchedulerEffect {
  /// Enough to see what it is.
  var words: String {
    switch self {
    case .arm(let key, let deadline, let leeway, let token):
      "arm \(key) at \(deadline.nanoseconds) ns, leeway \(leeway), token \(token)"
    case .start(let request):
      "start \(request.spec.name) run \(request.run) attempt \(request.attempt) "
        + "step \(request.step) hook \(request.facts?.hook.rawValue ?? "none")"
    case .record(.schedule(let version)):
      "record schedule of \(version.job) \(version.schedule.summary), anchor \(version.anchor), "
        + "from \(version.from.clock) \(version.from.wall), instants \(version.instantsFrom ?? 0)"
    case .log(let record):
      "log \(record.level) \(record.event) "
        + record.fields.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    case .disarm, .signal, .record, .awaitLedger, .served, .finish: "\(self)"
    }
  }

  /// The job that it is of; nil where none is named.
  var job: FormerCore.JobName? {
    switch self {
    case .arm(.job(let name), _, _, _), .disarm(.job(let name)): name
    case .start(let request): request.spec.name
    case .served(let start): start.job
    case .record(let entry): entry.job
    case .arm, .disarm, .signal, .awaitLedger, .log, .finish: nil
    }
  }
}

extension FormerCore.LedgerEntry {
  fileprivate var job: FormerCore.JobName? {
    switch self {
    case .verdict(let record): record.job
    case .pending(let job, _), .scheduleEnded(let job, _): job
    case .mark(let mark): mark.job
    case .schedule(let version): version.job
    case .claimed(let beginning), .began(let beginning): beginning.head.job
    case .ended(let record): record.head.job
    case .attemptBegan, .backedOff, .attemptOutput, .settled, .process, .clockStepped, .reloaded:
      nil
    }
  }
}

extension FormerCore.SchedulerEvent {
  var kind: String {
    switch self {
    case .started: "started"
    case .reloaded: "reloaded"
    case .timerFired(.job, _): "timerFired(job)"
    case .timerFired(.run, _): "timerFired(run)"
    case .timerFired(.expected, _): "timerFired(expected)"
    case .timerFired(.shutdown, _): "timerFired(shutdown)"
    case .commanded: "commanded"
    case .attemptEnded: "attemptEnded"
    case .groupEnded: "groupEnded"
    case .kept: "kept"
    case .ledgerRenewed: "ledgerRenewed"
    case .clockStepped: "clockStepped"
    case .changed: "changed"
    case .dumpStatus: "dumpStatus"
    case .stop: "stop"
    }
  }

  var words: String {
    switch self {
    case .started(let snapshot, let books):
      "started with \(snapshot.jobs.map(\.name.text)), former jobs \(books.jobs.count), "
        + "runs \(books.runs.count)"
    case .reloaded(let plan):
      "reloaded: \(plan.steps.map { "\($0.change) \($0.spec.name)" })"
    case .timerFired(let key, let token): "timer \(key) \(token)"
    case .attemptEnded(let run, let report):
      "attempt of \(run) ended: \(report.result), left \(report.descendants)"
    case .commanded, .groupEnded, .kept, .ledgerRenewed, .clockStepped, .changed, .dumpStatus,
      .stop:
      "\(self)"
    }
  }
}
