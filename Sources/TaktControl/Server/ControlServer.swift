import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
package import TaktCore
import TaktSystem
import TaktTime
import Dispatch

/// Answers clients: always on a Unix socket, and over TCP if the settings ask for it.
///
/// Safe from any thread.
package final class ControlServer: Sendable {
  /// The most runs, and the most verdicts, of previous daemons that are read for the last ones of
  /// each job.
  private static let previousMax = 20_000
  /// The pace of answers to requests without a token on each listener: requests per second, and at
  /// once after a pause. All possible connections together wait half a second.
  private static let unauthenticatedPerSecond = 1_000
  private static let unauthenticatedMax = 100
  private static let unauthenticatedWait = Duration.seconds(1)

  package enum Place: Sendable, CustomStringConvertible {
    case socket(path: String)
    /// An address, whose requests must have the token in a file.
    case network(HTTPSettings, tokenFile: String)
    /// The Unix socket of the proxy: its requests follow the rules for TCP.
    case proxy(ProxyLogin, HTTPSettings, tokenFile: String)

    /// The path or the address.
    package var description: String {
      switch self {
      case .socket(let path): path
      case .network(let settings, _): settings.address
      case .proxy(let proxy, _, _): proxy.socket ?? "no socket"
      }
    }
  }

  private let group: MultiThreadedEventLoopGroup
  private let executor: LoopExecutor
  private let ports: ControlPorts
  private let connections: ConnectionBudget
  /// The connections over TCP and from the proxy, together.
  private let remoteCount: ConnectionCount
  private let bodies = BodyBudget()
  private let readers = ReaderCount()
  private let network = NetworkAddress()
  private let calendar = CalendarToken()
  private let sockets = Mutex<[(path: String, identity: FileStatus.Identity)]>([])

  /// Starts one thread; does not listen yet.
  package init(_ ports: ControlPorts, connections: ConnectionBudget) {
    self.connections = connections
    remoteCount = ConnectionCount(connections)
    group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    executor = LoopExecutor(group.next())
    self.ports = ports
    guard let archive = ports.archive else { return }
    SlowQueue.queue.async {
      var query = RunQuery()
      query.limit = Self.previousMax
      if let runs = try? archive.runs(query) { ports.readModel.restore(previous: runs) }
      let verdicts = VerdictQuery(
        jobs: nil, since: WallInstant(milliseconds: 0),
        before: WallInstant(milliseconds: .max), limit: Self.previousMax)
      if let records = try? archive.verdicts(verdicts) {
        ports.readModel.restore(previous: records)
      }
    }
  }

  /// Listens; `done` receives the address, or the reason why it cannot.
  package func listen(
    at place: Place, done: @escaping @Sendable (Result<String, ControlError>) -> Void
  ) {
    switch place {
    case .socket(let path):
      do throws(ControlError) {
        try SocketPlace.clear(path)
      } catch {
        return done(.failure(error))
      }
      // Only its owner may open the file; the user of every client is checked, too.
      start(
        .unixDomainSocket(path: path), AccessMiddleware(credentials: nil, hosts: []),
        user: geteuid(),
        onRunning: { [self] _ in
          opened(path, mode: 0o600)
          done(.success(path))
        }, onFailure: { done(.failure($0)) })
    case .network(let settings, let tokenFile):
      let refuse: @Sendable (ControlError) -> Void = { [network] error in
        network.setRefusal("\(settings.address): \(error.message)")
        done(.failure(error))
      }
      let credentials: Credentials
      do throws(Token.FileError) {
        credentials = try self.credentials(settings, tokenFile: tokenFile, areProxys: false)
      } catch {
        return refuse(ControlError(error.message))
      }
      start(
        .hostname(settings.host, port: settings.port),
        AccessMiddleware(credentials: credentials, settings), user: nil,
        below: settings.publicPath,
        onRunning: { [network] channel in
          var bound = settings
          bound.port = channel.localAddress?.port ?? settings.port
          network.set(
            settings.publicURL ?? "http://\(bound.address)", tokenFile: tokenFile,
            as: settings.tokenTrust)
          done(.success("http://\(bound.address)"))
        }, onFailure: refuse)
    case .proxy(let proxy, let settings, let tokenFile):
      listen(for: proxy, settings, tokenFile: tokenFile, done: done)
    }
  }

  /// Listens for the proxy. Everybody may open the socket, and anyone but the proxy's user is
  /// refused: takt may lack the right to change its owner.
  private func listen(
    for proxy: ProxyLogin, _ settings: HTTPSettings, tokenFile: String,
    done: @escaping @Sendable (Result<String, ControlError>) -> Void
  ) {
    guard let path = proxy.socket, let user = proxy.user else {
      return done(.failure(ControlError("the proxy has no socket, or no user")))
    }
    guard user != FileParties.unmappedUser else {
      return done(
        .failure(
          ControlError(
            "user \(user) is every user of the machine whom this container does not know; "
              + "run the proxy as another user")))
    }
    let credentials: Credentials
    do throws(ControlError) {
      try SocketPlace.checkFolder(of: path)
      try SocketPlace.clear(path)
      do throws(Token.FileError) {
        credentials = try self.credentials(settings, tokenFile: tokenFile, areProxys: true)
      } catch {
        throw ControlError(error.message)
      }
    } catch {
      return done(.failure(error))
    }
    start(
      .unixDomainSocket(path: path), AccessMiddleware(credentials: credentials, settings),
      user: user, below: settings.publicPath,
      onRunning: { [self] _ in
        opened(path, mode: 0o666)
        done(.success(path))
      }, onFailure: { done(.failure($0)) })
  }

  private func credentials(
    _ settings: HTTPSettings, tokenFile: String, areProxys: Bool
  ) throws(Token.FileError) -> Credentials {
    try Credentials(
      settings, tokenFile: tokenFile, cluster: ports.machines?.tokens ?? ClusterTokens(),
      calendar: calendar, isProxys: areProxys)
  }

  /// Sets the mode of a new socket, and registers it for removal.
  private func opened(_ path: String, mode: mode_t) {
    chmod(path, mode)
    guard let identity = SocketPlace.identity(of: path) else { return }
    sockets.withLock { $0.append((path, identity)) }
  }

  /// Listens on a Unix socket at the first usable path; `done` receives the path, or the last one's
  /// error, and `passing` the error of each one before it.
  package func listen(
    atFirstOf paths: [String], passing: @escaping @Sendable (String, ControlError) -> Void,
    done: @escaping @Sendable (Result<String, ControlError>) -> Void
  ) {
    guard let path = paths.first else { return }
    let others = Array(paths.dropFirst())
    listen(at: .socket(path: path)) { [self] result in
      guard case .failure(let trouble) = result, !others.isEmpty else { return done(result) }
      passing(path, trouble)
      listen(atFirstOf: others, passing: passing, done: done)
    }
  }

  /// Removes the socket, against new clients, and lets readers of events end, for a second at most.
  package func close() {
    readers.close()
    ports.readModel.notifyWatchers()
    for (path, identity) in sockets.withLock({ $0 })
    where SocketPlace.identity(of: path) == identity { unlink(path) }
    readers.waitForNone(timeout: .seconds(1))
  }

  /// Closes, and ends the thread with all connections: for a process that continues without them.
  func shutDown() {
    close()
    group.shutdownGracefully { _ in }
  }

  private func start(
    _ address: BindAddress, _ access: AccessMiddleware, user: uid_t?, below prefix: String = "",
    onRunning: @escaping @Sendable (any Channel) -> Void,
    onFailure: @escaping @Sendable (ControlError) -> Void
  ) {
    let gate = RequestGate(
      routes: routes(below: prefix).responder(access: access, bodies: bodies, ports: ports),
      access: access,
      pace: RequestPace(
        perSecond: Self.unauthenticatedPerSecond, burst: Self.unauthenticatedMax,
        waitMax: Self.unauthenticatedWait), prefix: prefix)
    let isLocal = access.credentials == nil
    let way: RequestWay = isLocal ? .socket : .network
    // The server's own messages are dropped: failures are returned here.
    let logger = Logger(label: "takt.control") { _ in SwiftLogNoOpLogHandler() }
    let server = Server(
      childChannelSetup: GuardedChannel(
        responder: { request, writer, channel in
          let context = ControlContext(
            source: ApplicationRequestContextSource(channel: channel, logger: logger), way: way)
          var response: Response
          do {
            response = try await gate.respond(to: request, context: context)
          } catch let error as HTTPParserError {
            throw error
          } catch {
            response = Problem(.internalError, "internal error").response
          }
          // For any route: an answer to HEAD has no body.
          if request.method == .head { response = response.createHeadResponse() }
          try await writer.write(response: response.head, body: response.body)
        },
        count: isLocal ? ConnectionCount(connections) : remoteCount, user: user,
        bounds: ConnectionGuard.Bounds()),
      configuration: ServerConfiguration(address: address, backlog: 1024),
      onServerRunning: { onRunning($0) }, eventLoopGroup: group, logger: logger)
    Task(executorPreference: executor) {
      do {
        try await server.run()
      } catch let error as IOError {
        onFailure(ControlError(SystemError.text(error.errnoCode)))
      } catch {
        onFailure(ControlError("\(error)"))
      }
    }
  }

  private func routes(below prefix: String) -> RouteList {
    var routes = RouteList()
    JobRoutes(ports: ports).add(to: &routes)
    OnceRoutes(ports: ports).add(to: &routes)
    RunRoutes(ports: ports).add(to: &routes)
    SlotRoutes(ports: ports).add(to: &routes)
    AgendaRoutes(ports: ports).add(to: &routes)
    HeatMapRoutes(ports: ports).add(to: &routes)
    PlanRoutes(ports: ports).add(to: &routes)
    EventRoutes(ports: ports, readers: readers).add(to: &routes)
    TimelineRoutes(ports: ports).add(to: &routes)
    CalendarRoutes(ports: ports, network: network, token: calendar).add(to: &routes)
    ClusterRoutes(ports: ports).add(to: &routes)
    ClusterListRoutes(ports: ports).add(to: &routes)
    ClusterMachineRoutes(ports: ports).add(to: &routes)
    SystemRoutes(ports: ports, readers: readers, network: network).add(to: &routes)
    PageRoutes().add(to: &routes)
    routes.addDescription(below: prefix)
    return routes
  }
}

extension AccessMiddleware {
  fileprivate init(credentials: Credentials, _ settings: HTTPSettings) {
    self.init(
      credentials: credentials, hosts: settings.hosts, secureAuthority: settings.secureAuthority)
  }
}

extension HTTPSettings {
  /// The names under which it is reached, in lower case.
  fileprivate var hosts: Set<String> {
    var hosts = Set(names.map { $0.lowercased() })
    hosts.insert(host.contains(":") ? "[\(host.lowercased())]" : host)
    if isLoopback { hosts.formUnion(["localhost", "127.0.0.1", "[::1]"]) }
    return hosts
  }
}
