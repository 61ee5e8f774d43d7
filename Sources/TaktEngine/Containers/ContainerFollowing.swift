import TaktCore
import TaktTime

/// The running containers, by an engine's events: decides when to list them, and when their
/// declarations are new.
///
/// A value without a clock: it returns actions and the deadline for the next call. While the engine
/// is away nothing changes, so that the containers' declarations stay.
struct ContainerFollowing: Sendable {
  enum Input: Sendable {
    /// Events arrive from now on.
    case opened
    /// No events arrive, or no longer.
    case broke(String)
    /// A container has come, gone or changed its name.
    case changed
    case listed([LabelledContainer])
    case timer
  }

  enum Action: Equatable, Sendable {
    case open
    case list
    case deliver([LabelledContainer])
    case warn(String)
    case note(String)
  }

  /// The time without events before a list; with constant events it comes after `quietMax`.
  static let quiet = Duration.milliseconds(200)
  static let quietMax = Duration.seconds(2)
  /// The minimum time between two reports: containers that come and go all the time cause few
  /// reloads.
  static let spacing = Duration.seconds(5)
  /// A container that is away for less keeps its jobs: it is being started again, or replaced.
  static let grace = Duration.seconds(3)
  static let retryMax = Duration.seconds(30)

  private var isOpen = false
  private var failures = 0
  private var retryAt: MonotonicInstant?
  /// The time since when changes have come that no list shows, and the time of the next list.
  private var changesSince: MonotonicInstant?
  private var lookAt: MonotonicInstant?
  private var running: [LabelledContainer] = []
  /// Containers that have just gone, and the time until which they count.
  private var leaving: [String: (container: LabelledContainer, until: MonotonicInstant)] = [:]
  private var told: [LabelledContainer]?
  private var toldAt: MonotonicInstant?
  /// The time of a report that waits until another reload is allowed.
  private var tellAt: MonotonicInstant?

  /// The time for the next call; nil for never.
  var deadline: MonotonicInstant? {
    ([retryAt, lookAt, tellAt] + leaving.values.map(\.until)).compactMap(\.self).min()
  }

  mutating func begin() -> [Action] { [.open] }

  mutating func receive(_ input: Input, at now: MonotonicInstant) -> [Action] {
    switch input {
    case .opened:
      let isBack = failures > 0
      (isOpen, failures, retryAt) = (true, 0, nil)
      // No event reports the changes in between.
      return (isBack ? [.note("the container engine is back")] : []) + [.list]
    case .broke(let reason): return broke(reason, at: now)
    case .changed:
      let since = changesSince ?? now
      changesSince = since
      lookAt = min(now + Self.quiet, since + Self.quietMax)
      return []
    case .listed(let containers):
      (changesSince, lookAt) = (nil, nil)
      note(containers, at: now)
      return report(at: now)
    case .timer: return timer(at: now)
    }
  }

  private mutating func broke(_ reason: String, at now: MonotonicInstant) -> [Action] {
    isOpen = false
    (changesSince, lookAt) = (nil, nil)
    let delay = min(Self.retryMax, .seconds(1 << min(failures, 5)))
    failures += 1
    retryAt = now + delay
    guard failures == 1 else { return [] }
    let jobs = told == nil ? "no labels are read yet" : "jobs from labels stay as they are"
    return [.warn("\(reason); \(jobs), and takt tries again")]
  }

  private mutating func note(_ containers: [LabelledContainer], at now: MonotonicInstant) {
    let names = Set(containers.map(\.name))
    let ids = Set(containers.map(\.id))
    for container in running where !names.contains(container.name) {
      leaving[container.name] = (container, now + Self.grace)
    }
    // A container with another name is still that container.
    leaving = leaving.filter { !names.contains($0.key) && !ids.contains($0.value.container.id) }
    running = containers
  }

  private mutating func timer(at now: MonotonicInstant) -> [Action] {
    var actions: [Action] = []
    if let at = retryAt, at <= now {
      retryAt = nil
      actions.append(.open)
    }
    if let at = lookAt, at <= now {
      lookAt = nil
      actions.append(.list)
    }
    // A list that is about to be made shows if one of them is back.
    if actions.isEmpty { actions += report(at: now) }
    return actions
  }

  /// Reports the present containers, unless they are known, or another reload has just been made.
  private mutating func report(at now: MonotonicInstant) -> [Action] {
    leaving = leaving.filter { $0.value.until > now }
    let all = (running + leaving.values.map(\.container)).sorted { $0.name < $1.name }
    tellAt = nil
    guard all != told else { return [] }
    if let toldAt, now < toldAt + Self.spacing {
      tellAt = toldAt + Self.spacing
      return []
    }
    (told, toldAt) = (all, now)
    return [.deliver(all)]
  }
}
