/// What happens to a slot that comes due while a run of the same job is active.
package enum Overlap: String, CaseIterable, Hashable, Sendable {
  /// The slot is decided as `skipped(overlap)`.
  case skip
  /// The slot's run waits until the others have ended.
  case queue
  /// The others are stopped, and the slot's run starts when they have ended.
  case replace
  /// The slot's run starts beside the others.
  case allow
}

/// What a policy comes to. Nobody else looks at its cases.
extension Overlap {
  /// Whether a run may be active while another one of its job is.
  package var mayMeet: Bool {
    switch self {
    case .skip, .queue, .replace: false
    case .allow: true
    }
  }

  /// Whether a slot that meets an active run is passed over.
  package var refuses: Bool {
    switch self {
    case .skip: true
    case .queue, .replace, .allow: false
    }
  }

  /// Whether it takes the place of the active run, which is stopped, and of no newer one.
  package var stops: Bool {
    switch self {
    case .replace: true
    case .skip, .queue, .allow: false
    }
  }

  /// Whether it waits in turn, behind the job's older slots, until the active run has ended.
  package var waits: Bool {
    switch self {
    case .queue: true
    case .skip, .replace, .allow: false
    }
  }

  /// Whether a shared slot that others hold up stays due for as long as it takes.
  package var keepsWaiting: Bool { !stops }

  /// Whether several slots of a job may be on their way to their runs at a time.
  package var hasSeveral: Bool { waits || mayMeet }
}
