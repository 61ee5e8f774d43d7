/// The treatment of a slot that is due while a run of the same job is active.
package enum Overlap: String, CaseIterable, Hashable, Sendable {
  /// The slot is decided as `skipped(overlap)`.
  case skip
  /// The slot's run waits until the others have ended.
  case queue
  /// The others are stopped, and the slot's run starts when they have ended.
  case replace
  /// The slot's run starts at the same time as the others.
  case allow

  /// The effects of a policy. The rules below use only these, as do those in SQL by their names, and
  /// never the cases.
  package struct Answers: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    /// A slot that meets an active run is skipped.
    package static let refuses = Self(rawValue: 1)
    /// A slot stops the active run.
    package static let stops = Self(rawValue: 2)
    /// A run may be active while another one of its job is.
    package static let mayMeet = Self(rawValue: 4)
    /// A slot waits in turn, behind the job's older slots, until the active run has ended.
    package static let waits = Self(rawValue: 8)
    /// A slot is skipped while a newer one of its job runs.
    package static let givesWay = Self(rawValue: 16)
    /// A shared slot that others hold up stays due for as long as it takes.
    package static let keepsWaiting = Self(rawValue: 32)

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Those sent to an engine.
    private static let named: [(answer: Self, name: String)] = [
      (.refuses, "refuses"), (.stops, "stops"), (.mayMeet, "mayMeet"), (.givesWay, "givesWay"),
      (.keepsWaiting, "keepsWaiting"),
    ]

    package var names: [String] { Self.named.filter { contains($0.answer) }.map(\.name) }
  }

  package var answers: Answers {
    switch self {
    case .skip: [.refuses, .keepsWaiting]
    case .queue: [.waits, .keepsWaiting]
    case .replace: [.stops, .givesWay]
    case .allow: [.mayMeet, .keepsWaiting]
    }
  }

  /// The policy as an instruction, for people.
  package var order: String {
    switch self {
    case .skip: "skip it"
    case .queue: "queue it (up to 64)"
    case .replace: "replace the active run"
    case .allow: "run in parallel"
    }
  }
}

/// The rules, for one machine and for an engine's claims alike: what a slot that is due and another
/// one of its job come to.
extension Overlap {
  /// Another slot of the job, or a run of it.
  package struct Other: Hashable, Sendable {
    package enum Stage: CaseIterable, Sendable {
      /// It waits until other runs have ended.
      case waiting
      /// Its run waits for a place, and may still be given up for a verdict without a run.
      case queued
      /// It has a run, or belongs to a machine.
      case active
    }

    package var stage: Stage
    package var isNewer: Bool

    package init(_ stage: Stage, isNewer: Bool = false) {
      self.stage = stage
      self.isNewer = isNewer
    }
  }

  /// The effect of others on a slot. Of several, the greatest counts.
  package enum Fate: Comparable, Sendable {
    case starts, waits
    /// It is skipped, unless a machine has had it before.
    case refused
    /// It is skipped in any case.
    case passed
  }

  package func fate(meeting other: Other) -> Fate {
    if other.stage == .waiting { return .starts }
    if other.isNewer, answers.contains(.givesWay) { return .passed }
    if refuses { return .refused }
    return mayMeet ? .starts : .waits
  }

  /// True if the slot takes the place of the other one: its run is stopped, or never starts.
  package func replaces(_ other: Other) -> Bool {
    other.stage != .waiting && answers.contains(.stops)
  }

  /// False if no other slot keeps one from its run: none need be looked at.
  package var mayRefuse: Bool {
    Other.Stage.allCases.contains { fate(meeting: Other($0)) >= .refused }
  }

  /// False if a slot takes no other one's place: none need be looked at.
  package var mayReplace: Bool { Other.Stage.allCases.contains { replaces(Other($0)) } }
}

extension Overlap {
  package var mayMeet: Bool { answers.contains(.mayMeet) }
  package var refuses: Bool { answers.contains(.refuses) }
  package var waits: Bool { answers.contains(.waits) }
  package var keepsWaiting: Bool { answers.contains(.keepsWaiting) }

  /// True if several slots of a job may wait for their runs, or have them, at a time.
  package var hasSeveral: Bool { waits || mayMeet }

  /// The kind of active run that a run meets.
  package enum Meeting: Sendable {
    case refusal, parallel, stop, wait

    /// The effect of a run by hand, for people, behind the name of a policy.
    package var ofRun: String {
      switch self {
      case .refusal: "refuses the new one with exit code 75"
      case .parallel: "runs both"
      case .stop: "stops the other run"
      case .wait: "makes it wait"
      }
    }

    /// The effect of a slot to come, for people.
    package var ofSlot: String {
      switch self {
      case .refusal: "If it has not ended by then, the slot is passed over"
      case .parallel: "The slot runs beside it"
      case .stop: "If it has not ended by then, it is stopped"
      case .wait: "If it has not ended by then, the slot waits for it"
      }
    }
  }

  package var meeting: Meeting {
    let active = Other(.active)
    switch fate(meeting: active) {
    case .refused, .passed: return .refusal
    case .starts: return .parallel
    case .waits: return replaces(active) ? .stop : .wait
    }
  }

  /// The slots that become `skipped(overlap)`, for people; nil for none.
  package var skips: String? {
    if refuses { return "a slot that is due during a run is passed over" }
    return answers.contains(.givesWay)
      ? "a slot in a cluster is passed over while a newer one of its job runs" : nil
  }

  /// The words for each, in a list for people; nil leaves one out.
  package static func list(_ last: String, _ words: (Self) -> String?) -> String {
    let parts = allCases.compactMap(words)
    guard parts.count > 1 else { return parts.first ?? "" }
    return parts.dropLast().joined(separator: ", ") + last + parts[parts.count - 1]
  }
}
