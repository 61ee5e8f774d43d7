import TaktTime

/// Jobs that all machines of a cluster share.
extension SchedulerCore {
  /// Others wait this much longer than the longest grace of a job.
  private static let graceMargin = Duration.seconds(2)

  /// Reports the longest grace of this machine's jobs.
  mutating func setGrace() {
    var longest = Duration.zero
    for id in jobs.present where isShared(id) {
      longest = max(longest, jobs[id].spec.execution.stop.grace)
    }
    cluster.membership.facts.grace = longest + Self.graceMargin
  }

  /// True if each of the job's slots is the cluster's, not one of each machine.
  func isShared(_ spec: JobSpec) -> Bool { spec.machines != .each }

  mutating func isShared(_ id: JobID) -> Bool { isShared(jobs[id].spec) }

  /// True if one slot of a shared job is shared: those of events on a machine are that machine's
  /// alone.
  mutating func isShared(_ slot: Slot, of id: JobID) -> Bool {
    guard isShared(id) else { return false }
    return slot.causes.isEmpty || slot.causes.isTimedOrFollowing
  }

  /// True if this machine may run a shared job.
  func isHere(_ spec: JobSpec) -> Bool {
    spec.machines.includes(cluster.membership.facts.labels)
  }

  // MARK: Jobs

  /// Reports a job to the engine, now or when this machine joins.
  ///
  /// - Parameter isNew: no earlier schedule is known here.
  mutating func declare(_ id: JobID, isChanged: Bool, isNew: Bool = false) {
    cluster.unplaced.noteJobsChanged()
    guard jobs.isPresent(id), isShared(id), isHere(jobs[id].spec) else {
      return withdrawJob(id)
    }
    let schedule = jobs[id].spec.sharedHash
    let rests = jobs[id].isFixedDelay
    var job = cluster.jobs[id] ?? SharedJob(schedule: schedule, isChanged: isChanged)
    job.declare(schedule: schedule, isChanged: isChanged, isNew: isNew, rests: rests) {
      isNamedNow($0, of: id)
    }
    cluster.jobs[id] = job
    if cluster.membership.id != nil { cluster.membership.say(.declare(id)) }
  }

  mutating func declareAdded(_ id: JobID, _ arrival: JobArrival) {
    var isChanged = false
    if case .reload = arrival { isChanged = true }
    declare(id, isChanged: isChanged, isNew: arrival.isFirst)
    // The others know its last run.
    if isShared(id) { jobs[id].cursor.runStarted() }
  }

  mutating func declareChanged(_ id: JobID, from old: JobSpec) {
    guard !jobs[id].spec.sharesSlots(with: old) || cluster.jobs[id] == nil else { return }
    // New files of zones have been read with the jobs file.
    cluster.zoneDigests = [:]
    declare(id, isChanged: true)
  }

  mutating func withdrawJob(_ id: JobID) {
    cluster.unplaced.noteJobsChanged()
    cluster.jobs[id] = nil
    cluster.book.forget(id)
  }

  /// Reports a job's suspension, or its end, to the engine.
  mutating func reportSuspension(of id: JobID) {
    guard cluster.jobs[id] != nil else { return }
    cluster.membership.say(.suspend(id))
  }

  /// The clock was set, or the machine has slept: the lease continued meanwhile.
  mutating func clusterStepped(slept: Duration, at now: Now) {
    if slept > .zero { cluster.membership.sleep(for: slept) }
    // Slots that were early by another clock may not be.
    cluster.book.hurry(to: now.monotonic)
  }

  /// A reload on request confirms that this file is right.
  mutating func insist() {
    for (id, job) in cluster.jobs where job.standing == .drifted {
      declare(id, isChanged: true)
    }
  }
}

extension SlotCauses {
  /// True if the clock or another job's end names the slot, and not an event on this machine.
  var isTimedOrFollowing: Bool {
    sorted().contains { [.every, .cron, .calendar, .at, .after].contains($0) }
  }
}

extension JobSpec {
  /// The latest start of a late slot.
  func validUntil(_ slot: WallInstant) -> WallInstant {
    slot + missed.within(timing.schedule, of: slot)
  }

  /// True if machines with either spec name the same slots.
  func sharesSlots(with other: JobSpec) -> Bool {
    timing.schedule == other.timing.schedule && sharedHash == other.sharedHash
  }

  /// A hash of the keys that machines must agree on to share the job's slots.
  var sharedHash: UInt64 {
    StableHash.of(
      JobKey.facts(of: self).filter { JobKey.shared.contains($0.key) }
        .map { "\($0.key)=\($0.text)" }.joined(separator: "\n"))
  }
}

extension JobKey {
  /// The names of the keys that name a job's slots, except those for one machine, and of the key
  /// that assigns machines.
  fileprivate static let shared = Set(
    [
      JobKey.every, .align, .anchor, .cron, .calendar, .rrule, .at, .from, .after, .notBefore,
      .until, .except, .onlyOn, .onExcluded,
      .machines,
    ].map(\.name))
}

/// Fixed delays of shared jobs: the next slot is counted from the end of the last one, on any
/// machine. The engine knows that end, so that all machines give the slot the same name.
extension SchedulerCore {
  /// No run of the job is active on this machine. Returns true if the engine knows the start of the
  /// delay.
  mutating func startSharedDelay(of id: JobID, at now: Now) -> Bool {
    guard let job = cluster.jobs[id], job.rests else { return false }
    // A job that waits for the engine's answer still has a slot.
    guard cluster.book.count(of: id) == 0, job.unsettled.isEmpty else { return true }
    if !cluster.membership.isUp, jobs[id].spec.onPartition == .run {
      jobs[id].startDelay(at: now)
      arm(id, at: now)
    }
    if phase == .running, cluster.jobs[id]?.askEnd() == true {
      cluster.membership.say(.lastEnd(id))
    }
    return true
  }

  /// While the slot is another machine's, it is asked again with each renewal.
  mutating func lastEndAnswered(_ answer: ClaimAnswer, of id: JobID, at now: Now) {
    cluster.jobs[id]?.endAskingEnd()
    guard case .ended(let end) = answer, phase == .running, jobs.isPresent(id),
      let job = cluster.jobs[id], job.rests, cluster.book.count(of: id) == 0, job.unsettled.isEmpty,
      jobs[id].late.isEmpty, !runs.hasActive(id)
    else { return }
    let schedule = jobs[id].spec.timing.schedule
    jobs[id].cursor.startDelay(from: end, schedule, at: now)
    markDirty(id)
    arm(id, at: now)
  }

  mutating func noteDecided(_ id: JobID, _ slot: WallInstant) {
    guard cluster.jobs[id]?.rests == true else { return }
    jobs[id].cursor.noteDecided(slot)
    markDirty(id)
  }
}
