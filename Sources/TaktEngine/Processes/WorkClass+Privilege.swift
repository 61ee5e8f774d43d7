import CTaktSystem
import Dispatch
import Synchronization
package import TaktCore

extension WorkClass {
  var request: csystem_class {
    csystem_class(
      nice: nice, io_priority: inputOutput.number, policy: policy.number,
      timer_slack_ns: UInt64(timerSlack / .nanoseconds(1)))
  }

  /// What of it the system does not let takt give, each with the error's name; empty when it does.
  func refusals() -> [String] {
    let result = ClassTrial.result(of: request)
    let parts = [
      ("nice \(nice)", result.nice), ("I/O \(inputOutput)", result.io_priority),
      ("policy \(policy.rawValue)", result.policy), ("timer slack", result.timer_slack),
    ]
    return parts.filter { $0.1 != 0 }.map { "\($0.0) (\(ErrorName.of($0.1)))" }
  }
}

/// A class is tried on a thread that ends then: the system knows classes of threads, and whoever has
/// lost rank does not get it back.
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
      // Without a thread nothing is known, and nothing is said.
    }
    return trial.state.withLock(\.result)
  }
}

extension Snapshot {
  /// One sentence on the classes of these jobs that the system does not let takt give in full, and
  /// why; nil when it gives them all. Children of such a class get what can be had.
  ///
  /// Starts a thread for each class; not for use on the scheduler's queue.
  package func degradedClasses() -> String? {
    let classes = Set(jobs.map(\.execution.qos)).sorted { $0.rank < $1.rank }
    let refused = classes.compactMap { qos -> String? in
      let refusals = qos.workClass.refusals()
      return refusals.isEmpty
        ? nil : "\(qos.rawValue) without \(refusals.joined(separator: ", "))"
    }
    guard !refused.isEmpty else { return nil }
    return "commands of these classes run with less than is theirs: "
      + refused.joined(separator: "; ") + "; it takes root or CAP_SYS_NICE"
  }
}
