import TaktCore
import TaktTime

/// Faults and their repair.
extension ClusterSimulation {
  mutating func makeChaos() {
    let index = Int.random(in: 0..<machines.count, using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      guard machines[index].isUp else { return }
      story.append("\(time) m\(index) is killed")
      down(index)
    case 1:
      guard machines[index].isUp, machines[index].frozenUntil == nil else { return }
      let length = lease * Int.random(in: 1...6, using: &random) / 2
      story.append("\(time) m\(index) freezes for \(length)")
      machines[index].frozenUntil = now + length
    case 2, 3:
      let length = Duration.milliseconds(Int.random(in: 100...20_000, using: &random))
      story.append("\(time) m\(index) is cut off for \(length)")
      machines[index].cutUntil = now + length
    case 4:
      let length = Duration.milliseconds(Int.random(in: 100...15_000, using: &random))
      story.append("\(time) the engine is down for \(length)")
      engineDownUntil = now + length
    case 5:
      guard machines[index].isUp, machines[index].frozenUntil == nil else { return }
      story.append("\(time) m\(index) gets SIGTERM")
      machines[index].isStopping = true
      send(.stop, to: index)
    case 6:
      // A new version of the file reaches one machine after the other.
      if random.oneIn(2) {
        var jobs = versions[versions.count - 1]
        let place = Int.random(in: 0..<jobs.count, using: &random)
        jobs[place].timing.schedule.every = Every(
          .milliseconds(Int.random(in: 2...10, using: &random) * 500),
          from: jobs[place].timing.schedule.every?.origin ?? .epoch)
        versions.append(jobs)
      }
      roll(index)
    case 7: roll(index)
    case 8:
      guard machines[index].isUp, machines[index].frozenUntil == nil, !machines[index].isStopping,
        let job = versions[0].randomElement(using: &random)
      else { return }
      wasSuspended.insert(job.name)
      let command: SchedulerCommand =
        random.oneIn(2) ? .resume(job.name) : .suspend(job.name, until: nil, reason: "storm")
      story.append("\(time) m\(index) gets \(command)")
      let (_, effects) = machines[index].scheduler.perform(command)
      perform(effects, of: index)
    default:
      guard let standby, now - standby.at < lease * 3 / 2 else {
        standby = (engine, now)
        return
      }
      story.append("\(time) the engine fails over to a standby that is \(now - standby.at) behind")
      engine.failOver(to: standby.engine)
      (self.standby, failedOverAt) = (nil, now)
    }
  }

  private mutating func roll(_ index: Int) {
    let old = machines[index].version
    guard old < versions.count - 1, machines[index].frozenUntil == nil,
      !machines[index].isStopping
    else { return }
    machines[index].version = versions.count - 1
    guard machines[index].isUp else { return }
    story.append("\(time) m\(index) reloads version \(versions.count - 1)")
    send(
      .reloaded(
        ReloadPlan(
          from: Snapshot(settings: Self.settings, jobs: versions[old]),
          to: Snapshot(settings: Self.settings, jobs: versions[versions.count - 1]))),
      to: index)
  }

  mutating func heal() {
    story.append("\(time) all heals")
    isHealing = true
    engineDownUntil = now
    for index in machines.indices {
      machines[index].cutUntil = now
      if machines[index].frozenUntil != nil { machines[index].frozenUntil = now }
      if machines[index].startsAt != nil { machines[index].startsAt = now }
    }
    advance(to: now)
    for index in machines.indices { roll(index) }
  }
}
