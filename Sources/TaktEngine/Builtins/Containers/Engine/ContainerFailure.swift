import TaktTransfer

package struct ContainerFailure: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// No engine answers at the socket.
    case noEngine
    /// The answer is not that of an engine, or of another version of the API.
    case notAnEngine
    /// The engine did not answer in time, or broke off: it may have acted.
    case uncertain
    case refused(Int)
    /// takt cannot ask, because a library, a thread or descriptors are missing.
    case unable
    case cancelled
  }

  package var kind: Kind
  package var message: String

  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  init(_ failure: TransferFailure, socket: String) {
    let says = NetworkFailure(failure).message
    switch failure.cause {
    case .noLibrary, .noThread, .noDescriptors: self.init(.unable, says)
    case .cancelled: self.init(.cancelled, "the request was cancelled")
    case .timeout:
      self.init(.uncertain, "the container engine at \(socket) did not answer in time")
    case .closed:
      self.init(.uncertain, "the container engine at \(socket) closed the connection")
    case .badProtocol: self.init(.notAnEngine, "\(socket) is no container engine: \(says)")
    case .refused, .unreachable, .noAddress, .tls, .proxy, .startTLS, .authentication, .recipient,
      .mail, .system, .other:
      self.init(.noEngine, Self.sentence(noEngineAt: socket))
    }
  }

  /// True if there is no such container, image or exec.
  package var isMissing: Bool { kind == .refused(404) }

  /// True if another try may help: the engine is away, or busy.
  package var isPassing: Bool {
    switch kind {
    case .noEngine, .uncertain: true
    case .refused(let status): status == 500 || status == 503
    case .notAnEngine, .unable, .cancelled: false
    }
  }

  package var reason: String {
    switch kind {
    case .noEngine: "no_engine"
    case .notAnEngine: "not_an_engine"
    case .uncertain: "engine_timeout"
    case .refused(let status): "engine(\(status))"
    case .unable: "unable"
    case .cancelled: LongAttempt.cancelled
    }
  }
}
