import Dispatch
import Synchronization
import TaktCore

/// Events for an attempt that waits for its container. One thread takes them, any may add some.
final class ContainerMailbox: Sendable {
  enum Letter: Sendable {
    case signal(StopSignal)
    /// The stream of the output has ended; nil if the engine has ended it.
    case streamEnded(ContainerFailure?)
  }

  private let letters = Mutex<[Letter]>([])
  private let count = DispatchSemaphore(value: 0)

  func add(_ letter: Letter) {
    letters.withLock { $0.append(letter) }
    count.signal()
  }

  /// The next one; nil if none arrives in time. Blocks the thread.
  func next(until deadline: ContinuousClock.Instant?) -> Letter? {
    if let deadline {
      let left = max(deadline - .now, .zero)
      let bound = DispatchTime.now() + .nanoseconds(Int(left / .nanoseconds(1)))
      guard count.wait(timeout: bound) == .success else { return nil }
    } else {
      count.wait()
    }
    return letters.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }
}

/// Takes the output of a container. A stream that starts from the beginning again, as after the
/// engine was away, is taken from where the previous one broke off.
final class ContainerOutput: Sendable {
  private struct State {
    var frames = ContainerFrames()
    var seen: [StandardStream: Int] = [:]
    var skipped: [StandardStream: Int] = [:]
    var isBroken = false
  }

  private let output: BuiltinOutput
  private let state = Mutex(State())

  init(to output: BuiltinOutput) { self.output = output }

  var isBroken: Bool { state.withLock(\.isBroken) }

  /// Called before a stream that starts from the beginning.
  func restart() {
    state.withLock { state in
      state.frames = ContainerFrames()
      state.skipped = state.seen
    }
  }

  /// False if the stream is to end.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      guard !state.isBroken else { return false }
      var (seen, skipped) = (state.seen, state.skipped)
      do throws(ContainerFrames.Flaw) {
        try state.frames.feed(bytes) { stream, part in
          let known = min(skipped[stream] ?? 0, part.count)
          if known > 0 { skipped[stream]? -= known }
          guard known < part.count else { return }
          seen[stream, default: 0] += part.count - known
          output.receive(UnsafeRawBufferPointer(rebasing: part[known...]), from: stream)
        }
      } catch {
        state.isBroken = true
      }
      (state.seen, state.skipped) = (seen, skipped)
      return !state.isBroken
    }
  }
}
