import FoundationEssentials
package import TaktCore
import TaktTime

/// A page of a job's slots from `takt.audit`, as JSON.
package struct PostgresPage: Decodable {
  struct Slot: Decodable {
    var slot: Int64
    var verdict: String?
    var machine: String?
    var claimedAt: Int64?
    var validUntil: Int64?
    var lostAfter: Int64?
    var isOpen: Bool?
  }

  private struct Series: Decodable {
    var first: Int64
    var last: Int64
    var count: Int
    var verdict: String
  }

  private struct Doubled: Decodable {
    var slot: Int64
    var machine: String?
  }

  private struct Lost: Decodable {
    var from: Int64?
    var until: Int64
  }

  private var now: Int64
  private var forgottenUntil: Int64?
  private(set) var slots: [Slot]
  private var series: [Series]
  private var doubled: [Doubled]
  private var lost: [Lost]?

  package init?(_ text: String) {
    guard let page = try? JSONDecoder().decode(PostgresPage.self, from: Data(text.utf8)) else {
      return nil
    }
    self = page
  }

  /// Adds its slots to those of earlier pages; only the first page has the facts about the job.
  package func add(to result: inout EngineSlots, isFirst: Bool) {
    if isFirst {
      result.forgottenUntil = forgottenUntil.map { WallInstant(milliseconds: $0) }
      result.lost = (lost ?? []).map { lost in
        let until = WallInstant(nanoseconds: lost.until)
        return min(lost.from.map { WallInstant(nanoseconds: $0) } ?? until, until)...until
      }
      result.series = series.map {
        EngineSlots.Series(
          slots: SlotSeries(
            first: WallInstant(milliseconds: $0.first), last: WallInstant(milliseconds: $0.last),
            count: $0.count), verdict: Verdict.Kind(rawValue: $0.verdict))
      }
      result.doubled = doubled.map {
        EngineSlots.Doubled(slot: WallInstant(milliseconds: $0.slot), machine: $0.machine ?? "")
      }
    }
    result.entries += slots.map(entry)
  }

  private func entry(_ slot: Slot) -> EngineSlots.Entry {
    func passed(since instant: Int64) -> Duration? {
      instant < now ? .nanoseconds(now.subtractingReportingOverflow(instant).partialValue) : nil
    }
    let state: EngineSlots.State =
      switch slot.isOpen {
      case nil: .decided(slot.verdict.flatMap { Verdict.Kind(rawValue: $0) })
      case true?: .open(overdueFor: slot.validUntil.flatMap(passed))
      // A missing member was lost, or has left; the time is no longer known.
      case false?:
        .claimed(
          machine: slot.machine ?? "",
          lostFor: (slot.lostAfter ?? slot.claimedAt).flatMap(passed))
      }
    return EngineSlots.Entry(slot: WallInstant(milliseconds: slot.slot), state: state)
  }
}
