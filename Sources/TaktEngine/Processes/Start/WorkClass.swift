import CTaktSystem
import Dispatch
import Synchronization
package import TaktCore
import TaktSystem

/// The scheduling class that the system gets for a child.
struct WorkClass: Hashable, Sendable {
  enum InputOutput: Hashable, Sendable {
    /// By the nice value, as the kernel does by default.
    case byNice
    /// Among all others, 0 (first) to 7.
    case bestEffort(Int32)
    /// Only while no other process wants the disk.
    case idle
    /// Before all others, 0 (first) to 7.
    case realtime(Int32)
  }

  enum Policy: String, Hashable, Sendable {
    case other, batch, idle
  }

  /// The share of the processor; a lower value gets more.
  var nice: Int32
  var inputOutput: InputOutput
  var policy: Policy
  /// The time by which the kernel may delay a wake-up of the child, so that it wakes less often.
  var timerSlack: Duration
}

extension Execution {
  /// The job's `qos`, changed by its own `nice` and I/O priority.
  var workClass: WorkClass {
    var work = qos.workClass
    if let nice { work.nice = Int32(nice) }
    switch inputOutput {
    case nil: break
    case .idle: work.inputOutput = .idle
    case .bestEffort(let level): work.inputOutput = .bestEffort(Int32(level))
    case .realtime(let level): work.inputOutput = .realtime(Int32(level))
    }
    return work
  }

  /// The request for the class; values that the job sets by name are mandatory.
  var classRequest: csystem_class {
    var request = workClass.request
    request.must_have_nice = nice == nil ? 0 : 1
    request.must_have_io_priority = inputOutput == nil ? 0 : 1
    return request
  }
}

extension QoS {
  /// The class of a child. The nice values are those that the system library gives to the threads
  /// of a queue of this class, so that commands and built-ins share the processor alike.
  var workClass: WorkClass {
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
}

extension WorkClass.InputOutput {
  /// The number that `ioprio_set` takes: the class from bit 13, the level below.
  var number: Int32 {
    switch self {
    case .byNice: 0
    case .bestEffort(let level): 2 << 13 | level
    case .idle: 3 << 13
    case .realtime(let level): 1 << 13 | level
    }
  }
}

extension WorkClass.Policy {
  /// The number that `sched_setscheduler` takes; Swift sees no names for them.
  var number: Int32 {
    switch self {
    case .other: 0
    case .batch: 3
    case .idle: 5
    }
  }
}

extension WorkClass {
  var request: csystem_class {
    csystem_class(
      nice: nice, io_priority: inputOutput.number, policy: policy.number,
      timer_slack_ns: UInt64(timerSlack / .nanoseconds(1)), must_have_nice: 0,
      must_have_io_priority: 0)
  }

  /// The parts of it that the system does not let takt give, each with the error's name.
  func refusals() -> [String] {
    let result = ClassTrial.result(of: request)
    let parts = [
      ("nice \(nice)", result.nice), ("I/O \(inputOutput)", result.io_priority),
      ("policy \(policy.rawValue)", result.policy), ("timer slack", result.timer_slack),
    ]
    return parts.filter { $0.1 != 0 }.map { "\($0.0) (\(ErrorName.of($0.1)))" }
  }
}

/// Tries a class on a thread that ends then: the system knows classes of threads, and a thread does
/// not regain a rank that it has given up.
private final class ClassTrial: Sendable {
  private let state: Mutex<(request: csystem_class, result: csystem_class_result)>

  private init(_ request: csystem_class) { state = Mutex((request, csystem_class_result())) }

  static func result(of request: csystem_class) -> csystem_class_result {
    let trial = ClassTrial(request)
    let done = DispatchSemaphore(value: 0)
    do throws(SystemError) {
      try Thread.start(name: "takt-try") {
        trial.state.withLock { $0.result = csystem_set_class(&$0.request) }
        done.signal()
      }
      done.wait()
    } catch {
      // Without a thread nothing is known, so nothing is reported.
    }
    return trial.state.withLock(\.result)
  }
}

extension Snapshot {
  /// One sentence on the classes of these jobs that the system does not let takt give in full, and
  /// the reason; nil if it gives them all. Children of such a class get what is available.
  ///
  /// Starts a thread for each class; not for use on the scheduler's queue.
  package func degradedClasses() -> String? {
    let named = jobs.executions.map { ($0.qos.workClass, $0.qos) }
    let classes = Dictionary(named, uniquingKeysWith: { first, _ in first })
    let refused = classes.sorted { $0.value.rank < $1.value.rank }.compactMap { work, qos in
      let refusals = work.refusals()
      return refusals.isEmpty
        ? nil : "\(qos.rawValue) without \(refusals.joined(separator: ", "))"
    }
    guard !refused.isEmpty else { return nil }
    return "takt lacks privileges for these qos classes: " + refused.joined(separator: "; ")
      + "; run it as root, or with CAP_SYS_NICE"
  }
}
