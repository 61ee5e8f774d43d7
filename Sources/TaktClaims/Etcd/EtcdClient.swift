import FoundationEssentials
import TaktSystem
import TaktTransfer

/// Calls of etcd's JSON gateway, at one endpoint after the other. For the driver's thread only.
struct EtcdClient {
  typealias Deadline = ContinuousClock.Instant

  /// A longer answer is not read to its end.
  private static let answerBytesMax = 64 * 1024 * 1024
  private static let oldestVersion = (3, 4)

  private let access: EtcdAccess
  private let prefix: String
  private let transfers: TransferEngine
  private let start = ContinuousClock.now
  /// The endpoint that answered last.
  private var current = 0
  /// The endpoints known to be etcd of a suitable version.
  private var checked: Set<Int> = []
  private var token: String?
  private var clocks: [EtcdClock]

  init(_ access: EtcdAccess, prefix: String) {
    self.access = access
    self.prefix = prefix
    clocks = Array(repeating: EtcdClock(), count: access.endpoints.count)
    transfers = TransferEngine { body in try Thread.start(name: "takt-etcd", body) }
  }

  var place: EtcdProblem.Place { place(of: current) }

  private func place(of index: Int) -> EtcdProblem.Place { Self.place(of: access.endpoints[index]) }

  static func place(of address: TransferAddress) -> EtcdProblem.Place {
    let port = address.port.map { ":\($0)" } ?? ""
    return EtcdProblem.Place(
      text: "\(address.scheme)://\(TransferAddress.bracketed(address.host))\(port)")
  }

  // MARK: Time

  /// This machine's clock that cannot be set, and that also counts sleep.
  var boot: Int64 { Self.nanoseconds(ContinuousClock.now - start) }

  var clock: EtcdClock { clocks[current] }

  /// The time to ask for etcd's clock alone.
  mutating func nextQuestion() -> Deadline? {
    clocks[current].nextQuestion(after: boot).map { start + .nanoseconds($0) }
  }

  mutating func askForTime(until deadline: Deadline) {
    clocks[current].asked()
    _ = try? exchange(current, "GET", "/version", nil, until: deadline)
  }

  private static func nanoseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
  }

  // MARK: Calls

  /// Returns the answer of the first endpoint that gives one.
  mutating func call<Answer: Decodable>(
    _ path: String, _ body: some Encodable, until deadline: Deadline
  ) throws(EtcdProblem) -> Answer {
    let bytes = [UInt8](EtcdMessage.bytes(body))
    let count = access.endpoints.count
    var problem: EtcdProblem?
    for turn in 0..<count {
      let left = deadline - .now
      guard left > .zero else { break }
      let index = (current + turn) % count
      // The following endpoints together have as much time as this one.
      let share = turn == count - 1 ? deadline : .now + left / 2
      do throws(EtcdProblem) {
        let data = try call(index, path, bytes, until: share)
        current = index
        guard let answer = try? JSONDecoder().decode(Answer.self, from: data) else {
          throw .unreadable(place(of: index))
        }
        return answer
      } catch {
        guard error.isOfOneEndpoint else { throw error }
        if problem.map({ $0.isPermanent && !error.isPermanent }) ?? true { problem = error }
      }
    }
    throw problem ?? .timeout(count == 1 ? place : nil)
  }

  private mutating func call(
    _ index: Int, _ path: String, _ body: [UInt8], until deadline: Deadline
  ) throws(EtcdProblem) -> Data {
    if !checked.contains(index) { try checkVersion(index, until: deadline) }
    if access.user != nil, token == nil { try logIn(index, until: deadline) }
    do throws(EtcdProblem) {
      return try post(index, path, body, until: deadline)
    } catch {
      guard case .badToken = error, access.user != nil else { throw error }
      try logIn(index, until: deadline)
      return try post(index, path, body, until: deadline)
    }
  }

  private mutating func post(
    _ index: Int, _ path: String, _ body: [UInt8], until deadline: Deadline
  ) throws(EtcdProblem) -> Data {
    let reply = try exchange(index, "POST", path, body, until: deadline)
    if reply.status == 200 { return Data(reply.body) }
    throw refusal(index, reply)
  }

  private func refusal(_ index: Int, _ reply: HTTPReply) -> EtcdProblem {
    let refusal = try? JSONDecoder().decode(
      EtcdMessage.Refusal.self, from: Data(reply.body))
    guard let refusal, refusal.message ?? refusal.error != nil else {
      return reply.status >= 500
        ? .unavailable(place(of: index), "HTTP \(reply.status)") : .notEtcd(place(of: index))
    }
    return EtcdProblem(refusal, at: place(of: index), user: access.user, prefix: prefix)
  }

  private mutating func checkVersion(_ index: Int, until deadline: Deadline) throws(EtcdProblem) {
    let reply = try exchange(index, "GET", "/version", nil, until: deadline)
    let version = try? JSONDecoder().decode(EtcdMessage.Version.self, from: Data(reply.body))
    guard reply.status == 200, let version else { throw .notEtcd(place(of: index)) }
    let numbers = version.etcdserver.split(separator: ".").compactMap { Int($0) }
    guard numbers.count >= 2 else { throw .notEtcd(place(of: index)) }
    guard (numbers[0], numbers[1]) >= Self.oldestVersion else {
      throw .tooOld(place(of: index), version: version.etcdserver)
    }
    guard reply.first("Date").flatMap(HTTPDate.seconds) != nil else {
      throw .noDate(place(of: index))
    }
    checked.insert(index)
  }

  private mutating func logIn(_ index: Int, until deadline: Deadline) throws(EtcdProblem) {
    guard let user = access.user else { return }
    let password: String
    do throws(EtcdAccess.NoPassword) {
      password = try access.password()
    } catch {
      throw .noPassword(error.description)
    }
    token = nil
    let body = EtcdMessage.bytes(EtcdMessage.Credentials(name: user, password: password))
    let reply = try exchange(
      index, "POST", "/v3/auth/authenticate", [UInt8](body), until: deadline)
    let answer = try? JSONDecoder().decode(EtcdMessage.Token.self, from: Data(reply.body))
    if reply.status == 200, let answer {
      token = answer.token
      return
    }
    let words = String(decoding: reply.body, as: UTF8.self)
    // Without users anybody is let in.
    if words.contains("authentication is not enabled") {
      token = ""
      return
    }
    throw refusal(index, reply)
  }

  private mutating func exchange(
    _ index: Int, _ method: String, _ path: String, _ body: [UInt8]?, until deadline: Deadline
  ) throws(EtcdProblem) -> HTTPReply {
    let left = deadline - .now
    guard left > .zero else { throw .timeout(place(of: index)) }
    var headers = [(name: "Content-Type", value: "application/json")]
    if let token, !token.isEmpty { headers.append(("Authorization", token)) }
    var request = HTTPRequest(
      address: access.endpoints[index], target: path, method: method, headers: headers, body: body,
      trust: try access.trust(), timeout: left, keptBytesMax: Self.answerBytesMax,
      discardedBytesMax: 0)
    // Transactions compare before they write.
    request.isRepeatable = true
    request.ignoresProxy = true
    request.certificate = access.certificate
    let sent = boot
    do throws(TransferFailure) {
      let reply = try transfers.start(request).wait()
      if let seconds = reply.first("Date").flatMap(HTTPDate.seconds) {
        clocks[index].hear(seconds: seconds, sent: sent, received: boot)
      }
      return reply
    } catch {
      throw EtcdProblem(error, at: place(of: index))
    }
  }
}
