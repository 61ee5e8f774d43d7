import TaktCore
import TaktTime

/// Which containers run, as an engine's events tell it: when to list them, and when what they declare
/// is news.
///
/// A value without a clock: it says what to do and when to be asked again. While the engine is away
/// nothing changes, so that what the containers declare stays.
struct ContainerFollowing: Sendable {
  enum Input: Sendable {
    /// Events come from now on.
    case opened
    /// They do not, or no longer.
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

  /// Events are waited for until there have been none for so long, and at most as long as the other.
  static let quiet = Duration.milliseconds(200)
  static let quietMax = Duration.seconds(2)
  /// What has been told is told again so much later at the earliest: containers that come and go all
  /// the time make few reloads.
  static let spacing = Duration.seconds(5)
  /// A container that is away for less keeps its jobs: it is being started again, or replaced.
  static let grace = Duration.seconds(3)
  static let retryMax = Duration.seconds(30)

  private var isOpen = false
  private var failures = 0
  /// When to try again; nil while it is not to.
  private var retryAt: MonotonicInstant?
  /// Since when changes have come that no list shows, and when to look for them.
  private var changesSince: MonotonicInstant?
  private var lookAt: MonotonicInstant?
  private var running: [LabelledContainer] = []
  /// Those that have gone a moment ago, and until when they count.
  private var leaving: [String: (container: LabelledContainer, until: MonotonicInstant)] = [:]
  private var told: [LabelledContainer]?
  private var toldAt: MonotonicInstant?
  /// Something is to be told as soon as there may be another reload.
  private var tellAt: MonotonicInstant?

  /// When to be asked again; nil for never.
  var deadline: MonotonicInstant? {
    ([retryAt, lookAt, tellAt] + leaving.values.map(\.until)).compactMap(\.self).min()
  }

  /// What to do first.
  mutating func begin() -> [Action] { [.open] }

  mutating func receive(_ input: Input, at now: MonotonicInstant) -> [Action] {
    switch input {
    case .opened:
      let isBack = failures > 0
      (isOpen, failures, retryAt) = (true, 0, nil)
      // What happened meanwhile no event tells.
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
    // A container of another name is still that container.
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
    // A look that is about to be made says whether one of them is back.
    if actions.isEmpty { actions += report(at: now) }
    return actions
  }

  /// Tells what counts now, unless it is known, or another reload has been a moment ago.
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
