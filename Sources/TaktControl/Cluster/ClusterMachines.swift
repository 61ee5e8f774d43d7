import HTTPTypes
import NIOCore
import Synchronization
import TaktAPI
package import TaktCore
import TaktTime

struct MachineCall: Sendable {
  /// The path and the query.
  var target: String
  var method = "GET"
  var body: [UInt8]?
  var accept = "application/json"
  var timeout = ClusterMachines.patience
  var bytesMax = 8 << 20

  fileprivate var isRead: Bool { method == "GET" }
}

/// The reason why a machine has not answered as requested.
struct MachineProblem: Error, Sendable {
  /// A sentence with the machine's name, lower case and without a full stop.
  var sentence: String
  /// The machine's own words.
  var problem: Problem?
}

/// The connection to the other machines of the cluster: their APIs, with the tokens that all share.
///
/// A machine that is asked does not ask others: it answers from its own knowledge. Safe from any
/// thread.
package final class ClusterMachines: Sendable {
  /// The time limit for a machine's answer.
  package static let patience = Duration.seconds(2)
  /// The time limit for changes, which must be in the ledger before the answer.
  static let commandPatience = Duration.seconds(5)
  /// The extra time after which a transport that exceeds its limit is abandoned.
  package static let slack = Duration.milliseconds(500)
  /// The most clients that wait for other machines at once.
  private static let clientsMax = 8

  private let api: any MachineAPI
  private let slack: Duration
  let tokens: ClusterTokens
  private let clients = Atomic<Int>(0)

  /// - Parameter slack: the extra time after which a transport is abandoned.
  package init(
    _ api: any MachineAPI, tokens: ClusterTokens, slack: Duration = ClusterMachines.slack
  ) {
    self.api = api
    self.slack = slack
    self.tokens = tokens
  }

  /// Runs a request to other machines for a client, if not too many clients wait already.
  func forClient<Value>(_ body: () async throws -> Value) async throws -> Value {
    defer { clients.subtract(1, ordering: .relaxed) }
    guard clients.add(1, ordering: .relaxed).newValue <= Self.clientsMax else {
      var problem = Problem(
        .tooMany, "too many requests wait for other machines", detail: "Retry in a second.")
      problem.headers[.retryAfter] = "1"
      throw problem
    }
    return try await body()
  }

  /// Sends the same request to several machines at once.
  func ask(
    _ machines: [ClusterMachine], of list: MachineList, _ call: MachineCall, on loop: any EventLoop
  ) async -> [(machine: ClusterMachine, answer: Result<MachineReply, MachineProblem>)] {
    await withTaskGroup(of: (Int, Result<MachineReply, MachineProblem>).self) { group in
      for (index, machine) in machines.enumerated() {
        group.addTask { (index, await self.ask(machine, of: list, call, on: loop)) }
      }
      var answers: [Int: Result<MachineReply, MachineProblem>] = [:]
      for await (index, answer) in group { answers[index] = answer }
      return machines.enumerated().compactMap { index, machine in
        answers[index].map { (machine, $0) }
      }
    }
  }

  /// Asks one machine; a success is an answer of that machine with a status below 300.
  func ask(
    _ machine: ClusterMachine, of list: MachineList, _ call: MachineCall, on loop: any EventLoop
  ) async -> Result<MachineReply, MachineProblem> {
    let request: MachineRequest
    do throws(MachineProblem) {
      request = try self.request(call, to: machine, of: list)
    } catch {
      return .failure(error)
    }
    let result = await send(request, on: loop)
    do throws(MachineProblem) {
      switch result {
      case .success(let reply):
        try check(reply, of: machine, at: request.address, list, call)
        return .success(reply)
      case .failure(let failure): throw Self.problem(of: failure, machine, request.address, call)
      }
    } catch {
      return .failure(error)
    }
  }

  private func request(
    _ call: MachineCall, to machine: ClusterMachine, of list: MachineList
  ) throws(MachineProblem) -> MachineRequest {
    func notAsked(_ why: String) -> MachineProblem {
      MachineProblem(sentence: "\(machine.words) was not asked: \(why)")
    }
    guard let text = machine.api else {
      throw notAsked(
        "it has no address; set 'http' and 'cluster.api' under 'scheduler' in its file")
    }
    guard let address = APIAddress(text) else {
      throw notAsked("its address is not that of an API")
    }
    guard let token = call.isRead ? tokens.reading ?? tokens.writing : tokens.writing else {
      throw notAsked(
        call.isRead
          ? "this machine has no token; set 'api_token_file' under 'scheduler.cluster' on all machines"
          : "this machine has no token that may write; set 'api_write_token_file' under "
            + "'scheduler.cluster' on all machines")
    }
    var headers = [
      ("Authorization", "Bearer \(token.text)"), ("Accept", call.accept),
      (HTTPField.Name.taktCluster.rawName, RequestTarget.encoded(list.cluster)),
    ]
    // So that no other machine than the intended one changes anything.
    if !call.isRead, let member = machine.member {
      headers.append((HTTPField.Name.taktMember.rawName, "\(member)"))
    }
    if call.body != nil { headers.append(("Content-Type", "application/json")) }
    return MachineRequest(
      address: address, target: call.target, method: call.method,
      headers: headers.map { (name: $0, value: $1) }, body: call.body, timeout: call.timeout,
      bytesMax: call.bytesMax)
  }

  /// Waits only a little longer than the request's time limit.
  private func send(
    _ request: MachineRequest, on loop: any EventLoop
  ) async -> Result<MachineReply, MachineFailure> {
    await withCheckedContinuation { continuation in
      let once = Once(continuation)
      let patience = request.timeout + slack
      let deadline = loop.scheduleTask(in: .milliseconds(patience.milliseconds)) {
        once.settle(
          .failure(
            MachineFailure(
              "timed out after \(DurationText.format(request.timeout))", isUncertain: true)))
      }
      api.send(request) { result in
        once.settle(result)
        deadline.cancel()
      }
    }
  }

  /// A waiter for a result, of which the first counts.
  private final class Once: Sendable {
    typealias Waiting = CheckedContinuation<Result<MachineReply, MachineFailure>, Never>

    private let waiting: Mutex<Waiting?>

    init(_ waiting: Waiting) { self.waiting = Mutex(waiting) }

    func settle(_ result: Result<MachineReply, MachineFailure>) {
      let first = waiting.withLock { waiting in
        defer { waiting = nil }
        return waiting
      }
      first?.resume(returning: result)
    }
  }

  private static func problem(
    of failure: MachineFailure, _ machine: ClusterMachine, _ address: APIAddress,
    _ call: MachineCall
  ) -> MachineProblem {
    let isUncertain = failure.isUncertain && !call.isRead
    return MachineProblem(
      sentence: "\(machine.words) did not answer: \(failure.message.printable) (\(address))"
        + (isUncertain ? "; it may carry out the request all the same" : ""))
  }

  /// Throws unless it is this machine's answer with the expected content.
  private func check(
    _ reply: MachineReply, of machine: ClusterMachine, at address: APIAddress, _ list: MachineList,
    _ call: MachineCall
  ) throws(MachineProblem) {
    if reply.status == 401 {
      let key = call.isRead && tokens.reading != nil ? "api_token_file" : "api_write_token_file"
      throw MachineProblem(
        sentence: "\(machine.words) refused the token; all machines need the same '\(key)'")
    }
    let problem = reply.status < 300 ? nil : Problem(of: reply)
    if let other = otherServer(in: reply, instead: machine, list) {
      // Before takt checks the client, a refusal tells no more.
      let words = problem.map { "; it says: \($0.words)" } ?? ""
      throw MachineProblem(
        sentence: "\(machine.words) did not answer: the server at \(address) \(other)\(words)"
      )
    }
    if let problem {
      throw MachineProblem(
        sentence: "\(machine.words) refused the request: \(problem.words)", problem: problem)
    }
    guard reply.status < 300 else {
      throw MachineProblem(
        sentence: "\(machine.words) refused the request (HTTP status \(reply.status))")
    }
    guard !reply.isCut else {
      throw MachineProblem(
        sentence: "\(machine.words) sent more than \(SizeText.format(call.bytesMax))")
    }
  }

  /// The server that has answered, if it is not this machine.
  private func otherServer(
    in reply: MachineReply, instead machine: ClusterMachine, _ list: MachineList
  ) -> String? {
    func value(_ name: HTTPField.Name) -> String? {
      reply.headers[name.canonicalName].flatMap { RequestTarget.decoded($0) }
    }
    guard let cluster = value(.taktCluster), let name = value(.taktMachine) else {
      return "does not belong to a cluster of takt"
    }
    if cluster != list.cluster { return "belongs to cluster '\(cluster.shown)'" }
    let member = value(.taktMember).flatMap { UInt64($0) }
    // With a number that is unknown here yet, it has joined again.
    let isOther = list.machines.contains { $0.member == member && member != machine.member }
    if name != machine.name || (member != nil && isOther) {
      return "is machine '\(name.shown)'" + (member.map { " (member \($0))" } ?? "")
    }
    return nil
  }
}

extension String {
  /// The text for a sentence: it is from another machine.
  fileprivate var shown: String { String(prefix(128)).printable }
}

extension Problem {
  /// Another machine's problem; nil if it does not have takt's format.
  fileprivate init?(of reply: MachineReply) {
    guard
      let answer = try? APIReader.read(
        API.Problem.self, from: Array(reply.body), only: ["title", "code", "detail"]),
      (400...599).contains(reply.status)
    else { return nil }
    self.init(.internalError, String(answer.title.prefix(1000)))
    status = HTTPResponse.Status(code: reply.status)
    code = String(answer.code.prefix(100))
    detail = answer.detail.map { String($0.prefix(1000)) }
  }

  fileprivate var words: String {
    (title + (detail.map { ". \($0)" } ?? "")).printable
  }
}
