import Glibc
import TaktCore
import TaktTransfer

/// One attempt in a container, from its start to its exit status. It blocks its thread, and is used
/// only by that one.
final class ContainerAttempt {
  /// The time after KILL at which waiting ends.
  static let killTime = Duration.seconds(15)
  private static let pauseMax = Duration.seconds(5)

  let call: BuiltinCall
  let settings: ContainerSettings
  let engine: ContainerEngine
  let mailbox = ContainerMailbox()
  let output: ContainerOutput
  /// Identifies the container by name and labels, and an exec by its environment.
  let mark = AttemptMark.make()
  /// The end of all waiting; nil before KILL.
  private(set) var deadline: ContinuousClock.Instant?
  private var pause = Duration.milliseconds(250)
  private var saysAway = false

  init(_ call: BuiltinCall, _ settings: ContainerSettings, on engine: ContainerEngine) {
    self.call = call
    self.settings = settings
    self.engine = engine
    output = ContainerOutput(to: call.output)
  }

  func runNew() throws(ContainerFailure) -> BuiltinEnd {
    try ContainerEngines.shared.prepare(engine, cancelledBy: call.cancellation)
    guard try provideImage() else { return .failed("image") }
    let labels = try ContainerEngines.shared.labels(
      call.request, mark: mark, removal: settings.removal)
    let name = containerName
    do throws(ContainerFailure) {
      _ = try engine.create(settings.container(labels: labels), named: name)
    } catch {
      // It may have been created all the same.
      if error.isPassing { try? ContainerEngines.shared.remove(name, on: engine) }
      guard error.isMissing else { throw error }
      call.log(error.message, .error)
      return .failed("image")
    }
    call.cancellation.listen { [mailbox] in mailbox.add(.signal($0)) }
    do throws(ContainerFailure) {
      guard !call.cancellation.isCancelled else {
        remove(name)
        return .failed(LongAttempt.cancelled)
      }
      try engine.start(name)
      let end = try wait(for: name)
      if settings.removal == .always || end == .failed("still_running") {
        remove(name)
      } else {
        call.log("the container \(name) is kept")
      }
      return end
    } catch {
      remove(name)
      throw error
    }
  }

  /// False, with a line in the log, if there is no image.
  private func provideImage() throws(ContainerFailure) -> Bool {
    guard let image = settings.image else { return false }
    do throws(ContainerFailure) {
      if settings.pull == .never { return true }
      if settings.pull == .missing,
        try engine.hasImage(image.description, cancelledBy: call.cancellation)
      {
        return true
      }
      try engine.pull(image, cancelledBy: call.cancellation)
      return true
    } catch {
      guard case .refused = error.kind else { throw error }
      call.log(error.message, .error)
      return false
    }
  }

  /// Readable, and unique because of the mark.
  private var containerName: String {
    let job = call.request.spec.name.text.utf8.prefix(60).map { byte -> Character in
      let isPlain = ContainerSettings.isName(String(UnicodeScalar(byte)))
      return isPlain ? Character(UnicodeScalar(byte)) : "_"
    }
    return "takt-\(String(job))-\(mark)"
  }

  private func remove(_ name: String) {
    do throws(ContainerFailure) {
      try ContainerEngines.shared.remove(name, on: engine)
    } catch {
      call.log(
        "cannot remove the container \(name): \(error.message); takt keeps trying", .warning)
    }
  }

  private func wait(for name: String) throws(ContainerFailure) -> BuiltinEnd {
    var followsLeft = 3
    while true {
      let isWhole = follow { [engine] onBytes, onEnd throws(ContainerFailure) in
        try engine.logs(of: name, onBytes, onEnd: onEnd)
      } onSignal: { [engine] signal throws(ContainerFailure) in
        try engine.signal(name, signal.number)
      }
      do throws(ContainerFailure) {
        let state = try engine.details(of: name).state
        guard ["exited", "dead", "stopped"].contains(state.status) else {
          if isOverdue { return .failed("still_running") }
          backOff(name)
          continue
        }
        // The engine was away: the container's output since then is still to be read.
        if !isWhole, !output.isBroken, followsLeft > 0, !isOverdue {
          followsLeft -= 1
          continue
        }
        return .exited(
          Self.status(state.exitCode), ranOutOfMemory: state.outOfMemory ?? false)
      } catch {
        if error.isMissing {
          call.log("the container \(name) was removed by someone else", .error)
          return .failed("removed")
        }
        try bear(error)
        backOff(name)
      }
    }
  }

  static func status(_ code: Int?) -> Int32 {
    guard let code, (0...255).contains(code) else { return 255 }
    return Int32(code)
  }

  var isOverdue: Bool { deadline.map { $0 <= .now } ?? false }

  /// Tolerates a failure after which another try may help, until the deadline.
  func bear(_ failure: ContainerFailure) throws(ContainerFailure) {
    guard failure.isPassing, !isOverdue else { throw failure }
    if !saysAway { call.log("\(failure.message); takt keeps trying", .warning) }
    saysAway = true
  }

  /// Passes on one stream of output, and signals as they arrive, until the stream ends or the
  /// deadline. Returns true if the engine has ended it.
  func follow(
    _ start: (
      _ onBytes: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool,
      _ onEnd: @escaping @Sendable (ContainerFailure?) -> Void
    ) throws(ContainerFailure) -> RunningTransfer<HTTPReply>,
    onSignal: (StopSignal) throws(ContainerFailure) -> Void
  ) -> Bool {
    guard !output.isBroken else { return false }
    output.restart()
    let stream: RunningTransfer<HTTPReply>
    do throws(ContainerFailure) {
      stream = try start({ [output] in output.receive($0) }) { [mailbox] in
        mailbox.add(.streamEnded($0))
      }
    } catch {
      return false
    }
    while let letter = mailbox.next(until: deadline) {
      switch letter {
      case .signal(let signal): pass(signal, onSignal)
      case .streamEnded(let failure):
        if let failure, case .refused = failure.kind { call.log(failure.message, .error) }
        if output.isBroken { call.log("the output of the container cannot be read", .warning) }
        return failure == nil && !output.isBroken
      }
    }
    stream.cancel()
    // The end of the stream is reported at once.
    _ = mailbox.next(until: nil)
    return false
  }

  private func pass(_ signal: StopSignal, _ send: (StopSignal) throws(ContainerFailure) -> Void) {
    if signal == .kill, deadline == nil { deadline = .now + Self.killTime }
    do throws(ContainerFailure) {
      try send(signal)
    } catch {
      // A refusal means that it has ended already.
      if case .refused = error.kind { return }
      call.log("cannot send \(signal.rawValue): \(error.message)", .warning)
    }
  }

  /// Waits before the next try, longer each time; signals are still passed on.
  private func backOff(_ name: String) {
    backOff { [engine] signal throws(ContainerFailure) in try engine.signal(name, signal.number) }
  }

  func backOff(_ onSignal: (StopSignal) throws(ContainerFailure) -> Void) {
    let end = ContinuousClock.now + pause
    pause = min(pause * 2, Self.pauseMax)
    while let letter = mailbox.next(until: min(end, deadline ?? end)) {
      if case .signal(let signal) = letter { pass(signal, onSignal) }
    }
  }
}
