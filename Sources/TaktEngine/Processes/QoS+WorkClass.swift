import Dispatch
package import TaktCore

/// What the system is told of a child's work.
package struct WorkClass: Hashable, Sendable {
  /// How the child's turns at the disk compare with others'.
  package enum InputOutput: Hashable, Sendable {
    /// By the nice value, as the kernel does unless told otherwise.
    case byNice
    /// Among all others, 0 (first) to 7.
    case bestEffort(Int32)
    /// When nobody else wants the disk.
    case idle
  }

  /// How the child's turns at the processor compare with others'.
  package enum Policy: String, Hashable, Sendable {
    case other, batch, idle
  }

  /// The share of the processor: less is more.
  package var nice: Int32
  /// The turns at the disk.
  package var inputOutput: InputOutput
  /// The turns at the processor.
  package var policy: Policy
  /// By how much the kernel may put a wake of the child off, so that it wakes less often.
  package var timerSlack: Duration
}

extension QoS {
  /// What a child of this class gets. The nice values are those that the system library gives to the
  /// threads of a queue of this class, so that commands and built-ins share the processor alike.
  package var workClass: WorkClass {
    switch self {
    case .userInteractive:
      WorkClass(
        nice: -2, inputOutput: .bestEffort(0), policy: .other, timerSlack: .microseconds(1))
    case .userInitiated:
      WorkClass(
        nice: -2, inputOutput: .bestEffort(2), policy: .other, timerSlack: .microseconds(50))
    case .default:
      WorkClass(nice: 0, inputOutput: .byNice, policy: .other, timerSlack: .microseconds(50))
    case .utility:
      WorkClass(
        nice: 2, inputOutput: .bestEffort(6), policy: .batch, timerSlack: .milliseconds(1))
    case .background:
      WorkClass(nice: 10, inputOutput: .idle, policy: .idle, timerSlack: .milliseconds(20))
    }
  }

  /// The class of the queue on which a built-in's code runs.
  var dispatchClass: DispatchQoS {
    switch self {
    case .userInteractive: .userInteractive
    case .userInitiated: .userInitiated
    case .default: .default
    case .utility: .utility
    case .background: .background
    }
  }
}

extension WorkClass.InputOutput {
  /// The number that `ioprio_set` takes: the class from bit 13, the level below.
  package var number: Int32 {
    switch self {
    case .byNice: 0
    case .bestEffort(let level): 2 << 13 | level
    case .idle: 3 << 13
    }
  }
}

extension WorkClass.Policy {
  /// The number that `sched_setscheduler` takes; Swift sees no names for them.
  package var number: Int32 {
    switch self {
    case .other: 0
    case .batch: 3
    case .idle: 5
    }
  }
}
