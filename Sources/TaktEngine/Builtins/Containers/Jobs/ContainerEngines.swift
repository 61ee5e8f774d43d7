import Glibc
import Synchronization
import TaktCore
import TaktSystem

/// The engines that jobs use, and the containers of this daemon and of previous ones on them.
///
/// Idle until a job uses one, also at a start with a state folder in which no job has. Safe from
/// any thread.
package final class ContainerEngines: Sendable {
  package static let shared = ContainerEngines()

  private struct State {
    var folder: String?
    var report: (@Sendable (String) -> Void)?
    var key: String?
    var engines: [String: ContainerEngine] = [:]
    /// The sockets on which no containers of previous daemons are left.
    var swept: Set<String> = []
    /// Containers of this daemon that could not be removed, by socket.
    var left: [String: Set<String>] = [:]
    /// The sockets whose `left` is tried again.
    var retried: Set<String> = []
    var cleanings: [String: ContainerCleaning] = [:]
  }

  private static let fileName = "containers"
  /// The containers of one socket that are tried again; the next daemon finds others.
  private static let leftMax = 1000
  private static let retryMax = Duration.seconds(30)
  private let state = Mutex(State())
  /// Held while the file is written.
  private let file = Mutex(())

  enum Label {
    static let state = "dev.takt.state"
    static let daemon = "dev.takt.daemon"
    static let job = "dev.takt.job"
    static let run = "dev.takt.run"
    static let attempt = "dev.takt.attempt"
    static let removal = "dev.takt.remove"
  }

  /// The socket that a file names, or else the environment, or else the first that there is.
  package static func socket(_ named: String?) -> Result<String, ContainerFailure> {
    socket(
      named, host: getenv("DOCKER_HOST").map { String(cString: $0) },
      places: ["/var/run/docker.sock", "/run/podman/podman.sock"])
  }

  static func socket(
    _ named: String?, host: String?, places: [String]
  ) -> Result<String, ContainerFailure> {
    if let named { return .success(named) }
    if let host, !host.isEmpty {
      let prefix = "unix://"
      guard host.hasPrefix(prefix) else {
        return .failure(
          ContainerFailure(
            .unable, "DOCKER_HOST names no Unix socket; set 'socket', or DOCKER_HOST to unix://PATH"
          )
        )
      }
      return .success(String(host.dropFirst(prefix.count)))
    }
    return .success(places.first { access($0, F_OK) == 0 } ?? places[0])
  }

  func engine(at socket: Result<String, ContainerFailure>) throws(ContainerFailure)
    -> ContainerEngine
  {
    let path = try socket.get()
    return state.withLock { state in
      if let engine = state.engines[path] { return engine }
      let engine = ContainerEngine(socketPath: path)
      state.engines[path] = engine
      return engine
    }
  }

  /// Keeps the data for the next daemon in this folder, which this daemon has locked. Containers of
  /// previous daemons are ended on a thread of its own; nothing happens if they had none.
  ///
  /// - Parameter report: called with a sentence on the ended containers.
  package func open(in folder: String, report: @escaping @Sendable (String) -> Void) {
    state.withLock { state in
      state.folder = folder
      state.report = report
    }
    guard access("\(folder)/\(Self.fileName)", F_OK) == 0 else { return }
    try? Thread.start(name: "takt-leftovers") { [self] in
      guard let (_, sockets) = try? keyAndSockets() else { return }
      for socket in sockets {
        // The first job that uses the engine tries again.
        if let engine = try? self.engine(at: .success(socket)) { try? prepare(engine) }
      }
    }
  }

  /// Ends the leftover containers of previous daemons, and of attempts that could not remove
  /// theirs. Blocks the thread until that is done, or `cancellation`.
  ///
  /// Attempts that wait for one engine share the work, so that each waits once while it hangs.
  func prepare(
    _ engine: ContainerEngine, cancelledBy cancellation: Cancellation? = nil
  ) throws(ContainerFailure) {
    let socket = engine.socketPath
    let (cleaning, isNew) = state.withLock { state -> (ContainerCleaning?, Bool) in
      if state.swept.contains(socket), state.left[socket]?.isEmpty ?? true { return (nil, false) }
      if let active = state.cleanings[socket] { return (active, false) }
      let cleaning = ContainerCleaning()
      state.cleanings[socket] = cleaning
      return (cleaning, true)
    }
    guard let cleaning else { return }
    if isNew {
      cleaning.begin { [self] () throws(ContainerFailure) in
        try clean(engine)
      } onEnd: { [self] in
        state.withLock { $0.cleanings[socket] = nil }
      }
    }
    try cleaning.wait(cancelledBy: cancellation)
  }

  private func clean(_ engine: ContainerEngine) throws(ContainerFailure) {
    let socket = engine.socketPath
    let (isSwept, left) = state.withLock { ($0.swept.contains(socket), $0.left[socket] ?? []) }
    for name in left {
      try engine.remove(name)
      state.withLock { _ = $0.left[socket]?.remove(name) }
    }
    guard !isSwept else { return }
    try note(socket)
    try sweep(engine)
    state.withLock { _ = $0.swept.insert(socket) }
  }

  /// Removes a container by its name, now or later.
  func remove(_ name: String, on engine: ContainerEngine) throws(ContainerFailure) {
    do throws(ContainerFailure) {
      try engine.remove(name)
    } catch {
      let isFirst = state.withLock { state in
        guard state.left[engine.socketPath, default: []].count < Self.leftMax else { return false }
        state.left[engine.socketPath, default: []].insert(name)
        return state.retried.insert(engine.socketPath).inserted
      }
      if isFirst { retry(engine) }
      throw error
    }
  }

  /// Tries to remove what is left until it is gone, at longer and longer intervals, on a thread of
  /// its own: the next run that uses the engine may be far away.
  private func retry(_ engine: ContainerEngine) {
    let socket = engine.socketPath
    let work: @Sendable () -> Void = { [self] in
      var pause = Duration.seconds(1)
      var isOver = false
      while !isOver {
        _ = Cancellation().sleep(pause)
        pause = min(pause * 2, Self.retryMax)
        try? prepare(engine)
        isOver = state.withLock { state in
          guard state.left[socket]?.isEmpty ?? true else { return false }
          state.retried.remove(socket)
          return true
        }
      }
    }
    if (try? Thread.start(name: "takt-removal", work)) == nil {
      state.withLock { _ = $0.retried.remove(socket) }
    }
  }

  func labels(
    _ request: AttemptRequest, mark: String, removal: ContainerSettings.Removal
  ) throws(ContainerFailure) -> [(String, String)] {
    [
      (Label.state, try stateLabel()), (Label.daemon, DaemonProcess.instance),
      (Label.job, request.spec.name.text), (Label.run, request.run.description),
      (Label.attempt, mark), (Label.removal, removal.rawValue),
    ]
  }

  private func sweep(_ engine: ContainerEngine) throws(ContainerFailure) {
    let label = try stateLabel()
    var ended: [String] = []
    for container in try engine.containers(labelled: ["\(Label.state)=\(label)"]) {
      // Whatever the engine has made of the filter: only containers with the label, and not of this
      // daemon.
      guard let labels = container.labels, labels[Label.state] == label,
        let daemon = labels[Label.daemon], daemon != DaemonProcess.instance
      else { continue }
      let isKept = labels[Label.removal] == ContainerSettings.Removal.never.rawValue
      let isOver = ["exited", "dead"].contains(container.state)
      if isKept {
        guard !isOver else { continue }
        try engine.signal(container.id, SIGKILL)
      } else {
        try engine.remove(container.id)
      }
      if !isOver { ended.append(container.name.printable) }
    }
    guard !ended.isEmpty else { return }
    let names = ended.prefix(10).joined(separator: ", ") + (ended.count > 10 ? ", …" : "")
    state.withLock(\.report)?("Ended containers of the previous daemon: \(ended.count), \(names)")
  }

  /// The key of the state folder, and its identity: a copy of it has other containers.
  private func stateLabel() throws(ContainerFailure) -> String {
    let (key, _) = try keyAndSockets()
    guard let folder = state.withLock(\.folder), let status = try? FileStatus(at: folder) else {
      return key
    }
    let (device, inode) = (status.identity.device, status.identity.inode)
    return "\(key).\(String(device, radix: 16)).\(String(inode, radix: 16))"
  }

  /// The content of the file in the state folder; without a folder, a key of this process's own.
  private func keyAndSockets() throws(ContainerFailure) -> (key: String, sockets: [String]) {
    guard let folder = state.withLock(\.folder) else { return (ownKey(), []) }
    return try file.withLock { _ throws(ContainerFailure) in try Self.keyAndSockets(in: folder) }
  }

  private static func keyAndSockets(
    in folder: String
  ) throws(ContainerFailure) -> (key: String, sockets: [String]) {
    let path = "\(folder)/\(fileName)"
    let lines: [String]
    do throws(SystemError) {
      if access(path, F_OK) != 0 {
        try append("\(AttemptMark.make())\n", to: path, O_CREAT | O_EXCL)
      }
      let text = String(decoding: try SmallFile.read(path, bytesMax: 65_536), as: UTF8.self)
      lines = text.split(separator: "\n").map(String.init)
    } catch {
      throw ContainerFailure(.unable, "cannot keep the mark of containers: \(error)")
    }
    guard let key = lines.first, key.utf8.count == 32, ContainerSettings.isName(key) else {
      throw ContainerFailure(.unable, "\(path) is damaged; remove it if no container is left")
    }
    return (key, Array(lines.dropFirst()))
  }

  private func ownKey() -> String {
    state.withLock { state in
      if let key = state.key { return key }
      let key = AttemptMark.make()
      state.key = key
      return key
    }
  }

  /// Records a socket for the next daemon, before there is a container on it.
  private func note(_ socket: String) throws(ContainerFailure) {
    let (_, sockets) = try keyAndSockets()
    guard let folder = state.withLock(\.folder), !sockets.contains(socket) else { return }
    do throws(SystemError) {
      try Self.append("\(socket)\n", to: "\(folder)/\(Self.fileName)")
    } catch {
      throw ContainerFailure(.unable, "cannot keep the mark of containers: \(error)")
    }
  }

  private static func append(
    _ text: String, to path: String, _ flags: Int32 = 0
  ) throws(SystemError) {
    let file = Glibc.open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | flags, 0o600)
    guard file >= 0 else { throw SystemError("open") }
    defer { close(file) }
    guard write(file, text, text.utf8.count) == text.utf8.count, fdatasync(file) == 0 else {
      throw SystemError("write")
    }
  }
}
