package import TaktCore
package import TaktTime

extension API {
  package struct Cluster: APIObject {
    package var enabled = false
    package var name: String?
    package var engine: String?
    package var engineAnswers: Bool?
    package var engineRoundTrip: Duration?
    package var failure: Failure?
    package var problems: [String]?
    package var member: UInt64?
    package var machine: String?
    package var host: String?
    package var version: String?
    package var labels: [String: String]?
    package var lease: Duration?
    package var clockOffset: Duration?
    package var api: String?
    package var leaseLeft: Duration?
    package var members: [ClusterMember]?
    package var jobs: [Job]?
    package var unplaced: [Unplaced]?

    package static let schemaName: String? = "Cluster"
    package static let summary = "The cluster, as this machine sees it."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add(
        "enabled", &enabled,
        "Whether the jobs file has scheduler.cluster; if not, there is nothing else")
      fields.add("name", &name, "The cluster's name")
      fields.add(
        "engine", &engine, "The engine that decides the claims", .choices(["postgres", "etcd"]))
      fields.add(
        "engine_answers", &engineAnswers,
        "Whether the last request was answered, and this machine is a member")
      fields.add(
        "engine_round_trip_ms", &engineRoundTrip,
        "How long the engine took for its last answer, the way there and back included; absent "
          + "before one", .min(0))
      fields.add("failure", &failure, "Why the engine does not answer.")
      fields.add("problems", &problems, "What is wrong, in sentences, the worst first")
      fields.add(
        "member", &member, "The number of this machine's membership; absent until it has joined",
        .min(1))
      fields.add("machine", &machine, "The machine's name, for people")
      fields.add("host", &host, "The host name")
      fields.add("version", &version, "The version of takt")
      fields.add("labels", &labels, "The machine's labels")
      fields.add(
        "lease_ms", &lease, "How long the machine counts as alive after it renewed its lease",
        .min(0))
      fields.add(
        "clock_offset_ms", &clockOffset,
        "How far its clock is ahead of the engine's; negative if it is behind")
      fields.add(
        "api", &api,
        "The address of the machine's API, as other machines reach it; absent if they cannot",
        .pattern(#"^https?://"#))
      fields.add(
        "lease_left_ms", &leaseLeft,
        "How long this machine's lease is still valid; absent without one", .min(0))
      fields.add("members", &members, "As of the engine's last answer")
      fields.add(
        "jobs", &jobs,
        "Shared jobs with slots that wait, or with another schedule than the cluster's")
      fields.add(
        "unplaced", &unplaced,
        "Shared jobs with labels that no machine has: they run nowhere. As of the engine's "
          + "last answer")
    }

    package struct Failure: APIObject {
      package var message = ""
      package var permanent = false

      package init() {}

      package mutating func list(in fields: inout some FieldVisitor) {
        fields.add("message", &message, "The cause and the remedy")
        fields.add(
          "permanent", &permanent, "Whether it does not pass by itself, such as a wrong password")
      }
    }

    package struct Job: APIObject {
      package var job = ""
      package var drifted = false
      package var waiting = 0
      package var claiming = 0

      package init() {}

      package mutating func list(in fields: inout some FieldVisitor) {
        fields.add("job", &job, "The job's name")
        fields.add(
          "drifted", &drifted, "Another machine has a newer schedule; this one claims nothing")
        fields.add(
          "waiting", &waiting,
          "Slots that passed while they could not be claimed, and that the engine has not "
            + "decided yet", .min(0))
        fields.add("claiming", &claiming, "Slots that are due and are being claimed", .min(0))
      }
    }

    package struct Unplaced: APIObject {
      package var labels: [String: String] = [:]
      package var jobs: [String] = []

      package init() {}

      package mutating func list(in fields: inout some FieldVisitor) {
        fields.add("labels", &labels, "The labels that no machine has")
        fields.add("jobs", &jobs, "The names of the jobs")
      }
    }
  }

  package struct ClusterMember: APIObject {
    package var member: UInt64 = 0
    package var machine = ""
    package var host = ""
    package var version = ""
    package var labels: [String: String] = [:]
    package var lease = Duration.zero
    package var clockOffset = Duration.zero
    package var zoneData: String?
    package var api: String?
    package var alive = false

    package static let schemaName: String? = "ClusterMember"
    package static let summary = "A machine of the cluster."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("member", &member, "The number of the membership", .min(1))
      fields.add("machine", &machine, "The machine's name, for people")
      fields.add("host", &host, "The host name")
      fields.add("version", &version, "The version of takt")
      fields.add("labels", &labels, "The machine's labels")
      fields.add(
        "lease_ms", &lease, "How long the machine counts as alive after it renewed its lease",
        .min(0))
      fields.add(
        "clock_offset_ms", &clockOffset,
        "How far its clock is ahead of the engine's; negative if it is behind")
      fields.add(
        "zone_data", &zoneData, "The version of its time zones; absent if it is not known")
      fields.add(
        "api", &api,
        "The address of the machine's API, as other machines reach it; absent if they cannot",
        .pattern(#"^https?://"#))
      fields.add("alive", &alive, "Whether its lease is valid")
    }
  }

  package struct AskedMachine: APIObject {
    package var machine = ""
    package var member: UInt64?
    package var answered = false
    package var problem: String?

    package static let schemaName: String? = "AskedMachine"
    package static let summary = "A machine that was asked for its part."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("machine", &machine, "The machine's name")
      fields.add(
        "member", &member, "The number of its membership; absent until it has joined", .min(1))
      fields.add("answered", &answered, "Whether its part is in the answer")
      fields.add("problem", &problem, "Why its part is missing")
    }
  }

  package struct ClusterRuns: APIObject {
    package var runs: [ClusterRun] = []
    package var machines: [AskedMachine] = []
    package var problems: [String] = []

    package static let schemaName: String? = "ClusterRuns"
    package static let summary = "Runs of several machines, newest first."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("runs", &runs, "The runs, the newest first")
      fields.add("machines", &machines, "The machines that were asked, this one included")
      fields.add(
        "problems", &problems,
        "What is missing of the answer, in sentences; empty if all machines answered")
    }
  }

  package struct ClusterJob: APIObject {
    package var name = ""
    package var state = ""
    package var machines: String?
    package var next: Next?
    package var last: ClusterRun?
    package var active: [ClusterRun] = []
    package var on: [Place] = []

    package static let schemaName: String? = "ClusterJob"
    package static let summary = "A shared job, over all machines."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("name", &name, "The job's name")
      fields.add(
        "state", &state,
        "The state in the whole cluster: the first of running, backing_off, queued, "
          + "suspended, waiting, limit, idle and disabled that the job has on some machine")
      fields.add(
        "machines", &machines, "The labels of the machines that run it; absent if any machine may")
      fields.add("next", &next, "The next slot on any machine.")
      fields.add("last", &last, "The last run on any machine")
      fields.add("active", &active, "Its runs that have not ended")
      fields.add("on", &on, "The machines that have the job")
    }

    package struct Next: APIObject {
      package var slot = WallInstant.empty
      package var due = WallInstant.empty

      package init() {}

      package mutating func list(in fields: inout some FieldVisitor) {
        fields.add("slot", &slot, "The next slot")
        fields.add("due", &due, "When it is due")
      }
    }

    package struct Place: APIObject {
      package var machine = ""
      package var member: UInt64?
      package var state = ""
      package var schedule: String?
      package var drifted: Bool?

      package init() {}

      package mutating func list(in fields: inout some FieldVisitor) {
        fields.add("machine", &machine, "The machine's name")
        fields.add(
          "member", &member, "The number of its membership; absent until it has joined", .min(1))
        fields.add("state", &state, "Its state there")
        fields.add(
          "schedule", &schedule,
          "Its schedule there; absent from machines with an earlier version of takt")
        fields.add(
          "drifted", &drifted,
          "Another machine has a newer schedule, so this one claims no slot; absent otherwise")
      }
    }
  }

  package struct ClusterJobs: APIObject {
    package var jobs: [ClusterJob] = []
    package var after: String?
    package var machines: [AskedMachine] = []
    package var problems: [String] = []

    package static let schemaName: String? = "ClusterJobs"
    package static let summary = "Shared jobs, by name."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("jobs", &jobs, "The jobs, by name")
      fields.add("after", &after, "The name to continue from; absent at the end")
      fields.add("machines", &machines, "The machines that were asked, this one included")
      fields.add(
        "problems", &problems,
        "What is missing of the answer, in sentences; empty if all machines answered")
    }
  }

  package struct ClusterRun: APIObject {
    package var machine = ""
    package var member: UInt64?
    package var run = Relayed(Run())

    package static let schemaName: String? = "ClusterRun"
    package static let summary = "A run on a machine of the cluster."

    package init() {}

    package mutating func list(in fields: inout some FieldVisitor) {
      fields.add("machine", &machine, "The machine's name")
      fields.add(
        "member", &member, "The number of its membership; absent until it has joined", .min(1))
      fields.members(of: &run)
    }
  }
}

extension API.Cluster {
  /// For a daemon without a cluster, the object says only that.
  package init(_ view: ClusterView?) {
    enabled = view != nil
    guard let view else { return }
    name = view.settings?.name
    engine = view.settings?.engineName
    engineAnswers = view.engineAnswers
    engineRoundTrip = view.roundTrip
    failure = view.failure.map { failure in
      var shown = Failure()
      shown.message = failure.description
      shown.permanent = failure.isPermanent
      return shown
    }
    problems = view.problems
    member = view.member?.number
    let facts = view.facts
    machine = facts.machine
    host = facts.host
    version = facts.version
    labels = facts.labels
    lease = facts.lease
    clockOffset = facts.clockOffset
    api = facts.shownAPI
    leaseLeft = view.lease
    members = view.members.map { member in
      var shown = API.ClusterMember()
      let facts = member.facts
      shown.member = member.id.number
      shown.machine = facts.machine
      shown.host = facts.host
      shown.version = facts.version
      shown.labels = facts.labels
      shown.lease = facts.lease
      shown.clockOffset = facts.clockOffset
      shown.zoneData = facts.zoneData
      shown.api = facts.shownAPI
      shown.alive = member.isAlive
      return shown
    }
    jobs = view.waiting.map { waiting in
      var shown = Job()
      shown.job = waiting.job.text
      shown.drifted = waiting.isDrifted
      shown.waiting = waiting.unsettled
      shown.claiming = waiting.claims
      return shown
    }
    unplaced = view.unplaced.map { unplaced in
      var shown = Unplaced()
      shown.labels = unplaced.labels
      shown.jobs = unplaced.jobs.map(\.text)
      return shown
    }
  }
}

extension MemberFacts {
  /// It may be the address of a link: only an API's is passed on.
  fileprivate var shownAPI: String? { api.flatMap { APIAddress($0) }?.description }
}
