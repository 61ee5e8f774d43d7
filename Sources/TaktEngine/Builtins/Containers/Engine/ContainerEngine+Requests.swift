import Synchronization
package import TaktTransfer

/// Requests of takt to an engine. All of them block the thread, except streams.
extension ContainerEngine {
  /// Lists the containers that have all of these labels, `name` or `name=value`; all containers
  /// without any.
  ///
  /// - Parameter isAll: true to list containers that do not run as well.
  package func containers(
    labelled labels: [String] = [], isAll: Bool = true
  ) throws(ContainerFailure) -> [ContainerSummary] {
    var query = isAll ? [(name: "all", value: "1")] : []
    if !labels.isEmpty {
      let filter = JSONDocument.object([("label", .list(labels.map(JSONDocument.text)))])
      query.append(("filters", filter.text))
    }
    var request = ContainerRequest("GET", ["containers", "json"], query)
    request.bytesMax = 32 * 1024 * 1024
    return try object([ContainerSummary].self, of: request)
  }

  package func details(of container: String) throws(ContainerFailure) -> ContainerDetails {
    try object(
      ContainerDetails.self, of: ContainerRequest("GET", ["containers", container, "json"]))
  }

  /// Follows the events of containers from now on. Blocks the thread only to agree on the version.
  ///
  /// - Parameters:
  ///   - onEvent: gets the events, on the thread of the streams, which it must not block.
  ///   - onEnd: is called once, on that thread, after the last event: nil if the engine has ended
  ///     the stream.
  package func events(
    _ onEvent: @escaping @Sendable (ContainerEvent) -> Void,
    onEnd: @escaping @Sendable (ContainerFailure?) -> Void
  ) throws(ContainerFailure) -> RunningTransfer<HTTPReply> {
    let request = ContainerRequest(
      "GET", ["events"],
      [("filters", JSONDocument.object([("type", .list([.text("container")]))]).text)])
    let objects = JSONObjectReader()
    return try stream(
      request,
      { bytes in
        objects.feed(bytes) { object in
          if let event = ContainerEvent(json: object) { onEvent(event) }
        }
      },
      onEnd: { [socketPath] failure in
        onEnd(
          objects.isBroken
            ? ContainerFailure(.notAnEngine, "the events of \(socketPath) are no JSON objects")
            : failure)
      })
  }

  func create(
    _ settings: JSONDocument, named name: String
  ) throws(ContainerFailure) -> String {
    let request = ContainerRequest(
      "POST", ["containers", "create"], [("name", name)], body: settings, timeout: .seconds(120))
    return try object(CreatedObject.self, of: request).id
  }

  func start(_ container: String) throws(ContainerFailure) {
    try reply(
      to: ContainerRequest("POST", ["containers", container, "start"], timeout: .seconds(120)))
  }

  func signal(_ container: String, _ number: Int32) throws(ContainerFailure) {
    try reply(
      to: ContainerRequest(
        "POST", ["containers", container, "kill"], [("signal", String(number))],
        timeout: .seconds(10)))
  }

  /// Kills a container and removes it, with its anonymous volumes. One that is gone is no failure.
  func remove(_ container: String) throws(ContainerFailure) {
    let request = ContainerRequest(
      "DELETE", ["containers", container], [("force", "1"), ("v", "1")], timeout: .seconds(30))
    do throws(ContainerFailure) {
      try reply(to: request)
    } catch {
      // It is already being removed.
      guard error.isMissing || error.kind == .refused(409) else { throw error }
    }
  }

  /// Follows the output of a container from its start until it ends.
  func logs(
    of container: String, _ onBytes: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool,
    onEnd: @escaping @Sendable (ContainerFailure?) -> Void
  ) throws(ContainerFailure) -> RunningTransfer<HTTPReply> {
    try stream(
      ContainerRequest(
        "GET", ["containers", container, "logs"],
        [("follow", "1"), ("stdout", "1"), ("stderr", "1")]), onBytes, onEnd: onEnd)
  }

  /// Prepares a process in a running container, and returns its id.
  func createExec(
    in container: String, _ settings: JSONDocument
  ) throws(ContainerFailure) -> String {
    try object(
      CreatedObject.self,
      of: ContainerRequest("POST", ["containers", container, "exec"], body: settings)
    ).id
  }

  /// Starts what was prepared, and gets what it prints; with a bound of speed, what prints waits.
  func startExec(
    _ exec: String, bytesPerSecondMax: Int? = nil,
    _ onBytes: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool,
    onEnd: @escaping @Sendable (ContainerFailure?) -> Void
  ) throws(ContainerFailure) -> RunningTransfer<HTTPReply> {
    let body = JSONDocument.object([("Detach", .flag(false)), ("Tty", .flag(false))])
    var request = ContainerRequest("POST", ["exec", exec, "start"], body: body)
    request.bytesPerSecondMax = bytesPerSecondMax
    return try stream(request, onBytes, onEnd: onEnd)
  }

  func details(ofExec exec: String) throws(ContainerFailure) -> ExecDetails {
    try object(ExecDetails.self, of: ContainerRequest("GET", ["exec", exec, "json"]))
  }

  func hasImage(
    _ name: String, cancelledBy cancellation: Cancellation
  ) throws(ContainerFailure) -> Bool {
    do throws(ContainerFailure) {
      try reply(to: ContainerRequest("GET", ["images", name, "json"]), cancelledBy: cancellation)
      return true
    } catch {
      if error.isMissing { return false }
      throw error
    }
  }
}

/// Splits a stream that arrives on one thread into objects.
final class JSONObjectReader: Sendable {
  private struct State {
    var splitter = JSONObjectSplitter()
    var isBroken = false
  }

  private let state = Mutex(State())

  /// True once the stream has contained something other than objects.
  var isBroken: Bool { state.withLock(\.isBroken) }

  /// False if the stream is to end.
  func feed(_ bytes: UnsafeRawBufferPointer, _ body: ([UInt8]) -> Void) -> Bool {
    state.withLock { state in
      do throws(JSONObjectSplitter.Flaw) {
        try state.splitter.feed(bytes, body)
      } catch {
        state.isBroken = true
      }
      return !state.isBroken
    }
  }
}
