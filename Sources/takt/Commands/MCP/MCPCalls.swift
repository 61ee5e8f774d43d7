import Dispatch
import Synchronization
import TaktSystem

struct MCPCall: Sendable {
  var id: MCPRequestID
  var tool: MCPTool
  /// A JSON object.
  var arguments: [UInt8]
  /// True if the client accepts results with JSON besides their texts.
  var isStructured: Bool
}

final class MCPCancellation: Sendable {
  private let flag = Atomic(false)

  var isCancelled: Bool { flag.load(ordering: .relaxed) }

  func cancel() { flag.store(true, ordering: .relaxed) }
}

/// The calls in progress. Each line with calls has a thread, so that a waiting one delays no
/// others. Lines that make changes are performed in order. Safe from any thread.
final class MCPCalls: Sendable {
  static let threadsMax = 16

  private struct State {
    var open: [MCPRequestID: MCPCancellation] = [:]
    var threadCount = 0
    /// Left when the last line that makes changes is done.
    var lastChange: DispatchGroup?
  }

  private enum Part: Sendable {
    case answer([UInt8])
    case call(MCPCall, MCPCancellation)

    var makesChanges: Bool {
      if case .call(let call, _) = self { call.tool.makesChanges } else { false }
    }
  }

  private let control: ControlArgument
  private let write: @Sendable ([UInt8]) -> Void
  private let state = Mutex(State())
  private let threads = DispatchGroup()

  /// - Parameter write: gets each line to be sent, without its end, from any thread.
  init(control: ControlArgument, write: @escaping @Sendable ([UInt8]) -> Void) {
    self.control = control
    self.write = write
  }

  /// Performs the steps of a line, or starts to.
  func perform(_ turn: MCPSession.Turn) {
    var parts: [Part] = []
    var hasCalls = false
    for step in turn.steps {
      switch step {
      case .answer(let answer): parts.append(.answer(answer))
      case .cancel(let id): state.withLock { $0.open[id] }?.cancel()
      case .call(let call):
        parts.append(open(call))
        hasCalls = true
      }
    }
    guard hasCalls else { return send(parts, isBatch: turn.isBatch) }
    do throws(SystemError) {
      try start(parts, isBatch: turn.isBatch)
    } catch {
      send(
        parts, isBatch: turn.isBatch,
        refusing: "takt cannot start a thread (\(SystemError.text(error.number))); call again later"
      )
    }
  }

  func waitForAll() { threads.wait() }

  private func open(_ call: MCPCall) -> Part {
    state.withLock { state in
      guard state.open[call.id] == nil else {
        let error = MCPError(.invalidRequest, "a request with this 'id' is still in progress")
        return .answer(MCPAnswer.error(error, to: call.id))
      }
      let cancellation = MCPCancellation()
      state.open[call.id] = cancellation
      return .call(call, cancellation)
    }
  }

  private func start(_ parts: [Part], isBatch: Bool) throws(SystemError) {
    let hasPlace = state.withLock { state in
      guard state.threadCount < Self.threadsMax else { return false }
      state.threadCount += 1
      return true
    }
    guard hasPlace else {
      let words = "\(Self.threadsMax) calls are in progress; wait for an answer, then call again"
      return send(parts, isBatch: isBatch, refusing: words)
    }
    threads.enter()
    let change = parts.contains(where: \.makesChanges) ? DispatchGroup() : nil
    change?.enter()
    let earlier = change.flatMap { change in
      state.withLock { state in
        defer { state.lastChange = change }
        return state.lastChange
      }
    }
    let end: @Sendable () -> Void = { [self] in
      change?.leave()
      endThread()
    }
    do throws(SystemError) {
      try Thread.start(name: "takt-mcp") { [self] in
        earlier?.wait()
        send(parts, isBatch: isBatch)
        end()
      }
    } catch {
      end()
      throw error
    }
  }

  private func endThread() {
    state.withLock { $0.threadCount -= 1 }
    threads.leave()
  }

  /// Sends the answers once all calls among the parts have ended.
  ///
  /// - Parameter refusal: the reason why the calls are not made; nil for calls that are.
  private func send(_ parts: [Part], isBatch: Bool, refusing refusal: String? = nil) {
    let answers = parts.compactMap { part in
      switch part {
      case .answer(let answer): answer
      case .call(let call, let cancellation): answer(to: call, cancellation, refusal)
      }
    }
    if let line = isBatch ? MCPAnswer.batch(answers) : answers.first { write(line) }
  }

  /// Nil for a call that was cancelled.
  private func answer(
    to call: MCPCall, _ cancellation: MCPCancellation, _ refusal: String?
  ) -> [UInt8]? {
    defer { _ = state.withLock { $0.open.removeValue(forKey: call.id) } }
    guard !cancellation.isCancelled else { return nil }
    let result =
      refusal.map { MCPResult.failure([$0]) }
      ?? call.tool.result(
        of: call.arguments, MCPContext(control: control, cancellation: cancellation),
        isStructured: call.isStructured)
    return cancellation.isCancelled ? nil : MCPAnswer.result(result, to: call.id)
  }
}
