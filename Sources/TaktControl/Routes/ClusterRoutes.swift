import Hummingbird
import TaktCore

/// The cluster, as this machine sees it.
struct ClusterRoutes {
  let ports: ControlPorts

  func add(to routes: inout RouteList) {
    routes.get("/api/v1/cluster", show)
  }

  @Sendable private func show(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    _ = try Query(request)
    let view = await ports.query { core, now in core.clusterView(at: now) }
    var json = JSONWriter()
    json.value(view)
    return .json(json)
  }
}

extension JSONWriter {
  /// A cluster; of a daemon without one only that it has none.
  fileprivate mutating func value(_ view: ClusterView?) {
    object { json in
      json.key("enabled")
      json.value(view != nil)
      guard let view else { return }
      json.member("name", view.settings?.name)
      json.member("engine", view.settings?.engineName)
      json.key("engine_answers")
      json.value(view.engineAnswers)
      if let failure = view.failure {
        json.key("failure")
        json.object { json in
          json.member("message", failure.description)
          json.key("permanent")
          json.value(failure.isPermanent)
        }
      }
      json.key("problems")
      json.array(view.problems) { $0.value($1) }
      json.member("member", view.member?.number)
      json.members(of: view.facts)
      json.member("lease_left_ms", view.lease)
      json.key("members")
      json.array(view.members) { json, member in
        json.object { json in
          json.member("member", member.id.number)
          json.members(of: member.facts)
          json.key("alive")
          json.value(member.isAlive)
        }
      }
      json.key("jobs")
      json.array(view.waiting) { json, waiting in
        json.object { json in
          json.member("job", waiting.job.text)
          json.key("drifted")
          json.value(waiting.isDrifted)
          json.member("waiting", waiting.unsettled)
          json.member("claiming", waiting.claims)
        }
      }
      json.key("unplaced")
      json.array(view.unplaced) { json, unplaced in
        json.object { json in
          json.labels(unplaced.labels)
          json.key("jobs")
          json.array(unplaced.jobs) { $0.value($1.text) }
        }
      }
    }
  }

  private mutating func labels(_ labels: [String: String]) {
    key("labels")
    object { json in
      for (name, value) in labels.sorted(by: { $0.key < $1.key }) {
        json.member(named: name, value)
      }
    }
  }

  private mutating func members(of facts: MemberFacts) {
    member("machine", facts.machine)
    member("host", facts.host)
    member("version", facts.version)
    labels(facts.labels)
    member("lease_ms", facts.lease)
    member("clock_offset_ms", facts.clockOffset)
    // It may be the address of a link: nothing else than an API's is passed on.
    member("api", facts.api.flatMap { APIAddress($0) }?.description)
  }
}
