package import TaktCore

extension API.Cluster {
  /// A cluster; of a daemon without one only that it has none.
  package init(_ view: ClusterView?) {
    enabled = view != nil
    guard let view else { return }
    name = view.settings?.name
    engine = view.settings?.engineName
    engineAnswers = view.engineAnswers
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
  /// It may be the address of a link: nothing else than an API's is passed on.
  fileprivate var shownAPI: String? { api.flatMap { APIAddress($0) }?.description }
}
