package import TaktCore
package import TaktTime

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a PostgreSQL database knows of the slots of a cluster, to be looked at.
///
/// Blocks while it reads; for one thread.
package struct PostgresHistory: ClaimHistory {
  package typealias Failure = ClaimHistoryFailure

  private struct Page: Decodable {
    struct Slot: Decodable {
      var slot: Int64
      var verdict: String?
      var machine: String?
      var claimedAt: Int64?
      var validUntil: Int64?
      var lostAfter: Int64?
      var isOpen: Bool?
    }

    struct Series: Decodable {
      var first: Int64
      var last: Int64
      var count: Int
      var verdict: String
    }

    struct Doubled: Decodable {
      var slot: Int64
      var machine: String?
    }

    var now: Int64
    var forgottenUntil: Int64?
    var slots: [Slot]
    var series: [Series]
    var doubled: [Doubled]
  }

  private static let statement = "SELECT takt.audit($1, $2, $3::bigint, $4::integer)"
  private static let pageSize = 5000
  /// How long the server may take for a page.
  private static let patience = Duration.seconds(30)

  private let connection: PostgresConnection
  private let cluster: String

  /// - Parameter url: a connection string of libpq.
  package init(url: String, cluster: String) throws(Failure) {
    self.cluster = cluster
    do throws(PostgresProblem) {
      connection = try PostgresConnection.open(url, until: .now + Self.patience)
    } catch {
      throw Failure(description: error.failure(patience: Self.patience).description)
    }
  }

  /// All that is known of a job's slots after this one.
  package func slots(of job: JobName, after start: WallInstant) throws(Failure) -> EngineSlots {
    var result = EngineSlots()
    var after = start.milliseconds
    while true {
      let page = try page(of: job, after: after)
      if after == start.milliseconds {
        result.forgottenUntil = page.forgottenUntil.map { WallInstant(milliseconds: $0) }
        result.series = page.series.map {
          EngineSlots.Series(
            slots: SlotSeries(
              first: WallInstant(milliseconds: $0.first), last: WallInstant(milliseconds: $0.last),
              count: $0.count), verdict: Verdict.Kind(rawValue: $0.verdict))
        }
        result.doubled = page.doubled.map {
          EngineSlots.Doubled(slot: WallInstant(milliseconds: $0.slot), machine: $0.machine ?? "")
        }
      }
      result.entries += page.slots.map { Self.entry($0, at: page.now) }
      guard page.slots.count == Self.pageSize, let last = page.slots.last else { return result }
      after = last.slot
    }
  }

  private static func entry(_ slot: Page.Slot, at now: Int64) -> EngineSlots.Entry {
    func passed(since instant: Int64) -> Duration? {
      instant < now ? .nanoseconds(now.subtractingReportingOverflow(instant).partialValue) : nil
    }
    let state: EngineSlots.State =
      switch slot.isOpen {
      case nil: .decided(slot.verdict.flatMap { Verdict.Kind(rawValue: $0) })
      case true?: .open(overdueFor: slot.validUntil.flatMap(passed))
      // A member that is gone was lost, or has left; since when is not known any more.
      case false?:
        .claimed(
          machine: slot.machine ?? "",
          lostFor: (slot.lostAfter ?? slot.claimedAt).flatMap(passed))
      }
    return EngineSlots.Entry(slot: WallInstant(milliseconds: slot.slot), state: state)
  }

  private func page(of job: JobName, after: Int64) throws(Failure) -> Page {
    do throws(PostgresProblem) {
      let text = try connection.run(
        Self.statement, [cluster, job.text, String(after), String(Self.pageSize)],
        until: .now + Self.patience)
      guard let text, let page = try? JSONDecoder().decode(Page.self, from: Data(text.utf8)) else {
        throw .unreadable(connection.place)
      }
      return page
    } catch {
      throw Failure(description: Self.words(error))
    }
  }

  private static func words(_ problem: PostgresProblem) -> String {
    guard problem.isMissingSchema, case .statement(let place, _, _) = problem else {
      return problem.failure(patience: patience).description
    }
    return "Database '\(place.database)' at \(place.server) does not have this takt's schema. "
      + "Run `takt cluster sql | psql DATABASE` as a role that may create schemas."
  }
}
