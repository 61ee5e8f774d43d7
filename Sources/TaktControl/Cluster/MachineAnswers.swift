import TaktCore
import TaktTime

/// A run as another machine shows it, as far as it is passed on.
struct MachineRun: Decodable, Sendable {
  struct Progress: Decodable, Sendable {
    var percent: Int64
    var message: String?
  }

  var run: UInt64
  var job: String
  var slot: MachineInstant
  var kind: String
  var hook: String?
  var parent: UInt64?
  var state: String
  var began: MachineInstant?
  var ended: MachineInstant?
  var duration_ms: Double?
  var attempts: Int
  var outcome: String?
  var reason: String?
  /// What its processes have used; a machine of an earlier version does not tell.
  var cpu_ms: Double?
  var cpu_user_ms: Double?
  var cpu_system_ms: Double?
  var memory_peak: Int64?
  var read_bytes: Int64?
  var written_bytes: Int64?
  var switches_voluntary: Int64?
  var switches_involuntary: Int64?
  var progress: Progress?
}

/// A job as another machine shows it, as far as it counts for the cluster.
struct MachineJob: Decodable, Sendable {
  struct NextSlot: Decodable, Sendable {
    var slot: MachineInstant
    var due: MachineInstant
  }

  var name: String
  var state: String
  var machines: String?
  var schedule: String?
  var drifted: Bool?
  var next: NextSlot?
  var last: MachineRun?
  var active: [MachineRun]
}

struct MachineRunPage: Decodable, Sendable {
  var runs: [MachineRun]
}

struct MachineJobPage: Decodable, Sendable {
  var jobs: [MachineJob]
  var after: String?
}

/// An instant in another machine's answer.
struct MachineInstant: Decodable, Sendable {
  var wall: WallInstant

  init(_ wall: WallInstant) { self.wall = wall }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard text.utf8.count <= 50, let wall = try? Query.instant(text, of: "") else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no instant")
    }
    self.wall = wall
  }
}

/// A run of some machine of the cluster.
struct ClusterRun: Sendable {
  enum Run: Sendable {
    case own(RunEntry)
    case other(MachineRun)
  }

  var machine: ClusterMachine
  var run: Run

  var number: UInt64 {
    switch run {
    case .own(let entry): entry.run.head.run.number
    case .other(let run): run.run
    }
  }

  /// When it began; of one that has not, when it was due.
  var at: WallInstant {
    switch run {
    case .own(let entry): entry.run.beganAt ?? entry.run.head.slot
    case .other(let run): run.began?.wall ?? run.slot.wall
    }
  }

  var endedAt: WallInstant? {
    switch run {
    case .own(let entry): entry.run.endedAt
    case .other(let run): run.ended?.wall
    }
  }

  /// The newest first. The numbers of different machines say nothing.
  static func isBefore(_ left: Self, _ right: Self) -> Bool {
    (right.at, left.machine.name, left.machine.member ?? 0, right.number)
      < (left.at, right.machine.name, right.machine.member ?? 0, left.number)
  }
}

extension JSONWriter {
  mutating func value(_ run: ClusterRun) {
    object { json in
      json.members(of: run.machine)
      switch run.run {
      case .own(let entry): json.members(of: entry)
      case .other(let run): json.members(of: run)
      }
    }
  }

  mutating func members(of machine: ClusterMachine) {
    member("machine", machine.name)
    member("member", machine.member)
  }

  private mutating func members(of run: MachineRun) {
    member("run", run.run)
    member("job", run.job)
    member("slot", run.slot.wall)
    member("kind", run.kind)
    member("hook", run.hook)
    member("parent", run.parent)
    member("state", run.state)
    member("began", run.began?.wall)
    member("ended", run.ended?.wall)
    member("duration_ms", run.duration_ms.map { Duration(milliseconds: $0) })
    member("attempts", run.attempts)
    member("outcome", run.outcome)
    member("reason", run.reason)
    member("cpu_ms", run.cpu_ms.map { Duration(milliseconds: $0) })
    member("cpu_user_ms", run.cpu_user_ms.map { Duration(milliseconds: $0) })
    member("cpu_system_ms", run.cpu_system_ms.map { Duration(milliseconds: $0) })
    member("memory_peak", run.memory_peak)
    member("read_bytes", run.read_bytes)
    member("written_bytes", run.written_bytes)
    member("switches_voluntary", run.switches_voluntary)
    member("switches_involuntary", run.switches_involuntary)
    guard let progress = run.progress else { return }
    key("progress")
    object { json in
      json.member("percent", progress.percent)
      json.member("message", progress.message)
    }
  }

  /// Which machines were asked, and what is missing of the answer.
  mutating func members(of asked: [AskedMachine]) {
    key("machines")
    array(asked) { json, asked in
      json.object { json in
        json.members(of: asked.machine)
        json.key("answered")
        json.value(asked.problem == nil)
        json.member("problem", asked.problem)
      }
    }
    key("problems")
    array(asked.compactMap(\.problem)) { $0.value($1) }
  }
}

/// A machine that was asked, and why its part is missing; nil where it is not.
struct AskedMachine: Sendable {
  var machine: ClusterMachine
  var problem: String?
}

extension Duration {
  /// As another machine gives it; what is no length of time is none.
  fileprivate init(milliseconds: Double) {
    let bound = 1e12
    self = .nanoseconds(Int64(max(-bound, min(bound, milliseconds.isNaN ? 0 : milliseconds)) * 1e6))
  }
}
