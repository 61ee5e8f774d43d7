import TaktTime

/// Something about the cluster's machines that is worth a line of the log.
struct ClusterNotice: Hashable, Sendable {
  var level: LogLevel
  var text: String

  init(_ level: LogLevel, _ text: String) {
    self.level = level
    self.text = text
  }
}

extension ClusterNews {
  /// The changes of the other machines since the last news.
  ///
  /// - Parameter own: the machine that logs this.
  func notices(since old: ClusterNews, own: MemberID?) -> [ClusterNotice] {
    guard !old.members.isEmpty else { return [] }
    let before = Dictionary(old.members.map { ($0.id, $0.isAlive) }) { $1 }
    let present = Set(members.map(\.id))
    let changed = members.compactMap { member -> ClusterNotice? in
      if member.id == own { return nil }
      switch (before[member.id], member.isAlive) {
      case (nil, true): return ClusterNotice(.notice, "\(member.words) has joined")
      case (true?, false):
        let grace = DurationText.format(member.facts.grace)
        return ClusterNotice(
          .warning,
          "\(member.words) has not renewed its lease; unless it does, it counts as lost after its "
            + "grace of \(grace), and its slots are decided then")
      case (false?, true):
        return ClusterNotice(.notice, "\(member.words) has renewed its lease")
      case (nil, false), (true?, true), (false?, false): return nil
      }
    }
    let gone = old.members.filter { $0.id != own && !present.contains($0.id) }
    return changed
      + gone.map { member in
        member.isAlive
          ? ClusterNotice(.notice, "\(member.words) has left, or has joined again")
          : ClusterNotice(
            .warning,
            "\(member.words) is lost: its slots with delivery: at_least_once run again, and its other "
              + "runs count as interrupted")
      }
  }

  /// A clock that is far off. If most machines agree about the engine's clock, that one is wrong.
  ///
  /// - Parameter offset: the lead of the machine's own clock over the engine's.
  func clockNotice(_ offset: Duration, own: MemberID?) -> ClusterNotice? {
    guard offset.isFar else { return nil }
    let distance = DurationText.format(offset < .zero ? .zero - offset : offset)
    let others = members.filter { $0.id != own && $0.isAlive }
    let agreeing = others.count { other in
      let gap = other.facts.clockOffset - offset
      return gap < MemberFacts.clockOffsetMax && .zero - gap < MemberFacts.clockOffsetMax
    }
    return ClusterNotice(
      .warning,
      agreeing * 2 > others.count
        ? "the engine's clock is \(distance) \(offset < .zero ? "ahead of" : "behind") the clocks of "
          + "\(agreeing + 1) machines; set the engine's by NTP"
        : "this machine's clock is \(distance) \(offset < .zero ? "behind" : "ahead of") the engine's; "
          + "set it by NTP")
  }

  /// A slot may be excluded by a run of a machine that has not renewed its lease.
  func exclusionNotice(by reason: SkipReason, own: MemberID?) -> ClusterNotice? {
    let silent = members.filter { !$0.isAlive && $0.id != own }
    guard reason == .overlap, !silent.isEmpty else { return nil }
    let names = silent.map { "'\($0.facts.machine)' (member \($0.id.number))" }
    return ClusterNotice(
      .notice,
      "skipped: a run of the job counts as active, perhaps on \(names.joined(separator: ", ")), which "
        + "has not renewed its lease; it is decided when that machine is back or counts as lost")
  }

  /// A machine's turn for a slot among those that may have it, from 0.
  func rank(
    of member: MemberID?, for job: JobName, _ slot: WallInstant, _ machines: JobMachines
  ) -> Int {
    guard let member else { return 0 }
    func weight(_ id: MemberID) -> UInt64 {
      StableHash.of("\(job.text) \(slot.milliseconds) \(id.number)")
    }
    let mine = weight(member)
    return members.count {
      $0.isAlive && $0.id != member && machines.includes($0.facts.labels) && weight($0.id) < mine
    }
  }
}

extension ClusterNews.Member {
  fileprivate var words: String { "machine '\(facts.machine)' (member \(id.number))" }
}

extension Duration {
  /// True if a clock with this error is reported.
  fileprivate var isFar: Bool {
    self >= MemberFacts.clockOffsetMax || self <= .zero - MemberFacts.clockOffsetMax
  }
}
