package import TaktCore
package import TaktTime

/// The slots of a cluster in etcd, as of one instant.
package struct EtcdHistory: ClaimHistory {
  private static let patience = Duration.seconds(30)

  private let state: EtcdState
  private let now: WallInstant

  package init(_ access: EtcdAccess, cluster: String) throws(ClaimHistoryFailure) {
    var store = EtcdStore(access, cluster: cluster)
    do throws(EtcdProblem) {
      try store.reload(until: .now + Self.patience)
      guard let now = store.likeliestWall else {
        throw .noDate(store.client.place)
      }
      self.now = now
    } catch {
      throw ClaimHistoryFailure(description: error.failure(patience: Self.patience).description)
    }
    state = store.state
  }

  /// From a state that was read before, as of an instant.
  init(_ state: EtcdState, at now: WallInstant) {
    self.state = state
    self.now = now
  }

  package func slots(
    of name: JobName, after start: WallInstant
  ) throws(ClaimHistoryFailure) -> EngineSlots {
    var result = EngineSlots()
    guard let job = state.engine.jobs[name] else { return result }
    result.forgottenUntil = WallInstant(nanoseconds: job.since.nanoseconds &- 1)
    result.series = job.series.filter { $0.slots.last > start }.map {
      EngineSlots.Series(slots: $0.slots, verdict: $0.verdict.kind)
    }
    let runs = state.doubled[name] ?? []
    result.doubled = runs.filter { $0.slot > start.nanoseconds }.map {
      EngineSlots.Doubled(slot: WallInstant(nanoseconds: $0.slot), machine: $0.machine)
    }
    result.entries = job.slots.filter { $0.key > start }.map { instant, slot in
      EngineSlots.Entry(slot: instant, state: state(of: slot, state.details[name]?[instant]))
    }
    result.ranges = job.past.ranges.filter { $0.last > start }
    result.entries.sort { $0.slot < $1.slot }
    return result
  }

  private func state(
    of slot: MemoryEngine.Slot, _ detail: EtcdState.Detail?
  ) -> EngineSlots.State {
    func passed(since instant: WallInstant) -> Duration? { instant < now ? now - instant : nil }
    switch slot.state {
    case .decided(let verdict, _, _): return .decided(verdict.kind)
    case .open: return .open(overdueFor: passed(since: slot.validUntil))
    case .claimed(let id):
      // A missing member was lost, or has left; the time is no longer known.
      let lostAfter = state.origins[id].flatMap { origin in
        state.engine.members[id].map { origin.renewedAt + $0.facts.lease + $0.facts.grace }
      }
      return .claimed(
        machine: detail?.machine ?? "", lostFor: (lostAfter ?? detail?.at).flatMap(passed))
    }
  }
}
