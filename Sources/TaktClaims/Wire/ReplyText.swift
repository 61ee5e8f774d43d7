import FoundationEssentials
package import TaktCore
import TaktTime

/// A reply of `takt.batch`, as JSON.
package struct ReplyText: Decodable {
  private struct Answer: Decodable {
    var `is`: String
    var token: UInt64?
    var attempt: Int?
    var reason: String?
    var ahead: Int64?
    var slots: [Int64]?
    var displaced: [Int64]?
    var at: Int64?
  }

  private struct Facts: Decodable {
    var machine: String
    var host: String
    var version: String
    var labels: [String: String]
    var lease: Int64
    var grace: Int64
    var clockOffset: Int64
    var zoneData: String?
    var api: String?
  }

  private struct Member: Decodable {
    var id: UInt64
    var alive: Bool
    var facts: Facts
  }

  private struct Open: Decodable {
    var job: String
    var slot: Int64
  }

  private struct Held: Decodable {
    var token: UInt64
    var job: String
    var slot: Int64
  }

  private struct Suspended: Decodable {
    var since: Int64
    var until: Int64?
    var reason: String
  }

  private struct News: Decodable {
    var members: [Member]
    var open: [Open]
    var suspended: [String: Suspended]
    var replaced: [UInt64]
    var held: [Held]
    var era: UInt64?
  }

  package enum Content {
    case reply(ClaimReply)
    /// The engine's schema has this version, and nothing was done.
    case otherSchema(Int)
  }

  private var schema: Int?
  private var member: UInt64?
  private var wall: Int64?
  private var answers: [Answer]?
  private var news: News?

  /// Nil for a text that is no reply to this batch.
  package static func read(_ text: String, to batch: ClaimBatch) -> Content? {
    guard let reply = try? JSONDecoder().decode(ReplyText.self, from: Data(text.utf8)) else {
      return nil
    }
    if let schema = reply.schema { return .otherSchema(schema) }
    return reply.content(for: batch).map { .reply($0) }
  }

  private func content(for batch: ClaimBatch) -> ClaimReply? {
    guard let wall else { return nil }
    var reply = ClaimReply(
      number: batch.number, member: member.map { MemberID($0) },
      wall: WallInstant(nanoseconds: wall))
    guard reply.member != nil else { return reply }
    for answer in answers ?? [] {
      guard let answer = Self.claimAnswer(answer) else { return nil }
      reply.answers.append(answer)
    }
    guard reply.answers.count == batch.requests.count else { return nil }
    if let news { reply.news = Self.clusterNews(news) }
    return (reply.news != nil) == (batch.facts != nil) ? reply : nil
  }

  /// To each of them one can be added.
  private static let attempts = 1...(1 << 53)

  private static func claimAnswer(_ answer: Answer) -> ClaimAnswer? {
    switch answer.is {
    case "done": .done
    case "granted":
      answer.token.flatMap { token in
        answer.attempt.flatMap { attempt in
          attempts.contains(attempt) ? .granted(ClaimToken(token), attempt: attempt) : nil
        }
      }
    case "taken": .taken
    case "skipped": answer.reason.flatMap(SkipReason.init).map { .skipped($0) }
    case "early": answer.ahead.map { .early(.nanoseconds($0)) }
    case "busy": .busy
    case "drifted": .drifted
    case "known":
      answer.slots.map {
        .known(
          $0.map { WallInstant(milliseconds: $0) },
          displaced: (answer.displaced ?? []).map { WallInstant(milliseconds: $0) })
      }
    case "ended": .ended(answer.at.map { WallInstant(milliseconds: $0) })
    case "superseded": .superseded
    default: nil
    }
  }

  private static func clusterNews(_ news: News) -> ClusterNews {
    var result = ClusterNews()
    result.era = news.era
    result.members = news.members.map { member in
      let facts = member.facts
      return ClusterNews.Member(
        id: MemberID(member.id),
        facts: MemberFacts(
          machine: facts.machine, host: facts.host, version: facts.version, labels: facts.labels,
          lease: .nanoseconds(facts.lease), grace: .nanoseconds(facts.grace),
          clockOffset: .nanoseconds(facts.clockOffset), zoneData: facts.zoneData, api: facts.api),
        isAlive: member.alive)
    }
    result.open = news.open.compactMap { open in
      JobName(open.job).map { .init(job: $0, slot: WallInstant(milliseconds: open.slot)) }
    }
    for (name, suspended) in news.suspended {
      guard let job = JobName(name) else { continue }
      result.suspended[job] = Suspension(
        since: WallInstant(nanoseconds: suspended.since),
        until: suspended.until.map { WallInstant(nanoseconds: $0) }, reason: suspended.reason)
    }
    result.replaced = news.replaced.map { ClaimToken($0) }
    result.held = news.held.compactMap { held in
      JobName(held.job).map {
        .init(
          token: ClaimToken(held.token), job: $0, slot: WallInstant(milliseconds: held.slot))
      }
    }
    return result
  }
}
