import Foundation
import Synchronization
import TaktTime

@testable import TaktCore

/// The other machines of a cluster, in memory, by the hosts of their addresses.
final class MemoryMachines: MachineAPI {
  /// Nil for a machine that never answers.
  typealias Answer = @Sendable (MachineRequest) -> Result<MachineReply, MachineFailure>?

  private struct State {
    var answers: [String: Answer] = [:]
    var requests: [MachineRequest] = []
  }

  private let state = Mutex(State())

  /// All requests, the oldest first.
  var requests: [MachineRequest] { state.withLock { $0.requests } }

  func set(_ host: String, _ answer: @escaping Answer) {
    state.withLock { $0.answers[host] = answer }
  }

  func send(
    _ request: MachineRequest,
    reply: @escaping @Sendable (Result<MachineReply, MachineFailure>) -> Void
  ) {
    let answer = state.withLock { state in
      state.requests.append(request)
      return state.answers[request.address.host]
    }
    let result =
      if let answer { answer(request) } else {
        Result<MachineReply, MachineFailure>?.some(.failure(MachineFailure("nothing listens")))
      }
    guard let result else { return }
    DispatchQueue.global().async { reply(result) }
  }
}

extension MachineReply {
  /// The answer of a machine that runs takt.
  static func of(
    _ machine: String, _ member: Int?, _ json: String, status: Int = 200, cluster: String = "prod"
  ) -> MachineReply {
    var headers = ["takt-cluster": cluster, "takt-machine": machine]
    if let member { headers["takt-member"] = "\(member)" }
    headers["content-type"] = "application/json"
    return MachineReply(status: status, headers: headers, body: Array(json.utf8))
  }

  /// A page with one run that began this long before the world.
  static func run(
    _ number: Int, of machine: String, _ member: Int?, job: String = "shared", ago: Duration
  ) -> MachineReply {
    let began = (ControlWorld.wall + (.zero - ago)).rfc3339()
    return of(
      machine, member,
      """
      {"runs":[{"run":\(number),"job":"\(job)","slot":"\(began)","kind":"slot","state":"ended",\
      "began":"\(began)","ended":"\(began)","duration_ms":12.5,"attempts":1,\
      "outcome":"succeeded","reason":"exit(0)","of_a_later_version":[{}]}],"before":3}
      """)
  }
}
