import Dispatch
import TaktCore
import TaktTransfer

/// A command in a running container, which takt never ends.
extension ContainerAttempt {
  /// Identifies its processes in the container.
  static let markVariable = "TAKT_CONTAINER_MARK"

  func runExec(in container: String) throws(ContainerFailure) -> BuiltinEnd {
    try ContainerEngines.shared.prepare(engine, cancelledBy: call.cancellation)
    guard try isRunning(container) else { return .failed("container") }
    guard let exec = try prepare(in: container) else { return .failed("container") }
    guard !call.cancellation.isCancelled else { return .failed(LongAttempt.cancelled) }
    call.cancellation.listen { [mailbox] in mailbox.add(.signal($0)) }
    let signal = { (signal: StopSignal) throws(ContainerFailure) in
      try self.send(signal, in: container)
    }
    var refusal: ContainerFailure?
    let speed = ContainerAccess.bytesPerSecondMax(of: call.request.spec)
    _ = follow(
      { [engine] onBytes, onEnd throws(ContainerFailure) in
        do throws(ContainerFailure) {
          return try engine.startExec(exec, bytesPerSecondMax: speed, onBytes, onEnd: onEnd)
        } catch {
          refusal = error
          throw error
        }
      }, onSignal: signal)
    if let refusal { throw refusal }
    while true {
      do throws(ContainerFailure) {
        let details = try engine.details(ofExec: exec)
        guard details.isRunning else {
          return .exited(Self.status(details.exitCode), ranOutOfMemory: false)
        }
      } catch {
        if error.isMissing { return .failed("removed") }
        try bear(error)
      }
      if isOverdue {
        call.log("the command goes on in the container \(container)", .error)
        return .failed("still_running")
      }
      backOff(signal)
    }
  }

  /// The process that is to be started; nil where its container has gone meanwhile, which the log says.
  private func prepare(in container: String) throws(ContainerFailure) -> String? {
    do throws(ContainerFailure) {
      let exec = try engine.createExec(
        in: container, settings.exec(environment: [Self.markVariable: mark]))
      guard Self.isFullID(container) else { return exec }
      return isGone(container, given: try engine.details(ofExec: exec).container) ? nil : exec
    } catch {
      switch error.kind {
      case .refused(404): call.log("the container \(container) is gone", .error)
      case .refused(409): call.log("the container \(container) does not run", .error)
      default: throw error
      }
      return nil
    }
  }

  /// An engine takes a full id whose container is gone for a name, which another one may have.
  private func isGone(_ container: String, given id: String?) -> Bool {
    guard Self.isFullID(container), id != container else { return false }
    call.log("the container \(container) is gone", .error)
    return true
  }

  private static func isFullID(_ text: String) -> Bool {
    text.utf8.count == 64 && text.allSatisfy(\.isHexDigit)
  }

  /// False, with a line in the log, if the container cannot run a command.
  private func isRunning(_ container: String) throws(ContainerFailure) -> Bool {
    do throws(ContainerFailure) {
      let details = try engine.details(of: container)
      if isGone(container, given: details.id) { return false }
      if details.state.running == true { return true }
      call.log("the container \(container) does not run", .error)
    } catch {
      guard error.isMissing else { throw error }
      call.log(
        Self.isFullID(container) ? "the container \(container) is gone" : error.message, .error)
    }
    return false
  }

  /// The API cannot signal an exec: another one in the container does it.
  private func send(_ signal: StopSignal, in container: String) throws(ContainerFailure) {
    let exec = try engine.createExec(
      in: container, settings.signal(signal.number, mark: "\(Self.markVariable)=\(mark)"))
    let ended = DispatchSemaphore(value: 0)
    let running = try engine.startExec(exec, { _ in true }, onEnd: { _ in ended.signal() })
    if ended.wait(timeout: .now() + .seconds(10)) == .timedOut { running.cancel() }
    let status = try engine.details(ofExec: exec).exitCode
    guard status != 0 else { return }
    call.log(
      status == 1
        ? "no process of the command was found in the container \(container)"
        : "cannot signal the command: the container \(container) has no /bin/sh", .warning)
  }
}
