import TaktTime

/// What the log says of the cluster's machines.
extension SchedulerCore {
  mutating func logMembers(
    from old: [ClusterNews.Member], to new: [ClusterNews.Member], at now: Now
  ) {
    guard !old.isEmpty else { return }
    let before = Dictionary(old.map { ($0.id, $0) }) { $1 }
    let after = Dictionary(new.map { ($0.id, $0) }) { $1 }
    for member in new where member.id != cluster.membership.id {
      let name = "machine '\(member.facts.machine)' (member \(member.id.number))"
      switch (before[member.id]?.isAlive, member.isAlive) {
      case (nil, true): logCluster(.notice, "\(name) has joined", at: now)
      case (true?, false):
        let grace = DurationText.format(member.facts.grace)
        logCluster(
          .warning,
          "\(name) has not renewed its lease; unless it does, it counts as lost after its grace of "
            + "\(grace), and its slots are decided then", at: now)
      case (false?, true): logCluster(.notice, "\(name) has renewed its lease", at: now)
      case (nil, false), (true?, true), (false?, false): break
      }
    }
    for member in old where after[member.id] == nil && member.id != cluster.membership.id {
      let name = "machine '\(member.facts.machine)' (member \(member.id.number))"
      if member.isAlive {
        logCluster(.notice, "\(name) has left, or has joined again", at: now)
      } else {
        logCluster(
          .warning,
          "\(name) is lost: its slots with delivery: at_least_once run again, and its other runs count "
            + "as interrupted", at: now)
      }
    }
  }

  mutating func checkClock(at now: Now) {
    let offset = cluster.membership.facts.clockOffset
    let isFar = offset >= MemberFacts.clockOffsetMax || offset <= .zero - MemberFacts.clockOffsetMax
    if isFar, !cluster.hasWarnedOfClock { logClock(offset, at: now) }
    cluster.hasWarnedOfClock = isFar
  }

  /// Where most machines say the same of the engine's clock, that one is wrong.
  private mutating func logClock(_ offset: Duration, at now: Now) {
    let distance = DurationText.format(offset < .zero ? .zero - offset : offset)
    let others = cluster.news.members.filter { $0.id != cluster.membership.id && $0.isAlive }
    let agreeing = others.filter { other in
      let gap = other.facts.clockOffset - offset
      return gap < MemberFacts.clockOffsetMax && .zero - gap < MemberFacts.clockOffsetMax
    }
    let isEngine = others.count > 0 && agreeing.count * 2 > others.count
    logCluster(
      .warning,
      isEngine
        ? "the engine's clock is \(distance) \(offset < .zero ? "ahead of" : "behind") the clocks of "
          + "\(agreeing.count + 1) machines; set the engine's by NTP"
        : "this machine's clock is \(distance) \(offset < .zero ? "behind" : "ahead of") the engine's; "
          + "set it by NTP", at: now)
  }

  /// What excludes a slot may be a run of a machine that is not heard of.
  mutating func logExcluded(by reason: SkipReason, of id: JobID, _ slot: WallInstant, at now: Now) {
    guard reason == .overlap else { return }
    let silent = cluster.news.members.filter { !$0.isAlive && $0.id != cluster.membership.id }
    guard !silent.isEmpty else { return }
    let names = silent.map { "'\($0.facts.machine)' (member \($0.id.number))" }
    logCluster(
      .notice,
      "skipped: a run of the job counts as active, perhaps on \(names.joined(separator: ", ")), which "
        + "has not renewed its lease; it is decided when that machine is back or counts as lost",
      of: id, slot: slot, at: now)
  }
}
