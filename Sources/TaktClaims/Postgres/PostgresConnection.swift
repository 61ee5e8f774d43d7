import CTaktClaims
import Glibc
import Synchronization

/// One connection to PostgreSQL. For the driver's thread only.
///
/// Every wait ends at a deadline, with one exception: libpq resolves names, and talks to Kerberos,
/// within a call.
final class PostgresConnection {
  typealias Deadline = ContinuousClock.Instant

  private let pointer: OpaquePointer
  private let password: String?
  private let url: String
  private(set) var place: PostgresProblem.Place

  private init(_ pointer: OpaquePointer, _ url: String) {
    self.pointer = pointer
    self.url = url
    password = Self.text(owned: cclaims_connection_option(pointer, "password"))
    place = PostgresProblem.Place(server: "", database: "", role: "")
    place = currentPlace
  }

  deinit { cclaims_abandon(pointer) }

  /// True if nothing has come since the last statement: anything that comes then is the
  /// connection's end.
  var isUsable: Bool {
    guard cclaims_status(pointer) == cclaims_connection_ok else { return false }
    var descriptor = pollfd(fd: cclaims_socket(pointer), events: Int16(POLLIN), revents: 0)
    guard poll(&descriptor, 1, 0) != 0 else { return true }
    // A parameter's new value may have come as well.
    return cclaims_consume(pointer) && cclaims_status(pointer) == cclaims_connection_ok
  }

  // MARK: Statements

  /// Runs one statement and returns the first value of its result.
  func run(
    _ statement: String, _ parameters: [String], until deadline: Deadline
  ) throws(PostgresProblem) -> String? {
    // The copies live until the call returns; libpq keeps none of them.
    let copies = parameters.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    let pointers = copies.map { UnsafePointer($0) }
    guard cclaims_send(pointer, statement, Int32(parameters.count), pointers) else {
      throw lost
    }
    return try result(until: deadline)
  }

  /// Runs several statements as one transaction, and returns the last one's first value.
  @discardableResult
  func run(script: String, until deadline: Deadline) throws(PostgresProblem) -> String? {
    guard cclaims_send_script(pointer, script) else { throw lost }
    return try result(until: deadline)
  }

  /// The first value of the last result, or the first error.
  private func result(until deadline: Deadline) throws(PostgresProblem) -> String? {
    try flush(until: deadline)
    var value: String?
    var problem: PostgresProblem?
    while true {
      while cclaims_is_busy(pointer) {
        try wait(for: POLLIN, until: deadline)
        guard cclaims_consume(pointer) else { throw lost }
      }
      guard let result = cclaims_next(pointer) else { break }
      defer { cclaims_result_clear(result) }
      switch cclaims_result_status(result) {
      case cclaims_result_command_ok: break
      case cclaims_result_tuples_ok:
        value = cclaims_result_text(result).map { String(cString: $0) }
      default:
        guard let state = cclaims_result_state(result) else {
          problem = problem ?? lost
          break
        }
        let words = cclaims_result_message(result).map { String(cString: $0) } ?? ""
        problem = problem ?? .statement(place, state: String(cString: state), clean(words))
      }
    }
    if let problem { throw problem }
    return value
  }

  private func flush(until deadline: Deadline) throws(PostgresProblem) {
    while true {
      switch cclaims_flush(pointer) {
      case 0: return
      case 1:
        // The server may have to be read from before it reads on.
        let events = try wait(for: POLLIN | POLLOUT, until: deadline)
        if events & POLLIN != 0, !cclaims_consume(pointer) { throw lost }
      default: throw lost
      }
    }
  }

  private var lost: PostgresProblem { .lost(place, detail.words) }

  // MARK: Waiting

  /// Waits for the socket, and returns its events.
  @discardableResult
  private func wait(for events: Int32, until deadline: Deadline) throws(PostgresProblem) -> Int32 {
    while true {
      let left = deadline - .now
      guard left > .zero else { throw .timeout(place) }
      var descriptor = pollfd(
        fd: cclaims_socket(pointer), events: Int16(truncatingIfNeeded: events), revents: 0)
      guard descriptor.fd >= 0 else { throw lost }
      let milliseconds = min(left / .milliseconds(1), 3_600_000).rounded(.up)
      if poll(&descriptor, 1, Int32(milliseconds)) > 0 { return Int32(descriptor.revents) }
    }
  }

  // MARK: Words

  /// libpq's last error: the SQLSTATE if it is the server's, and the words.
  private var detail: (state: String?, words: String) {
    PostgresMessage.read(cclaims_error(pointer).map { String(cString: $0) } ?? "", clean: clean)
  }

  private func clean(_ text: String) -> String {
    guard let password, !password.isEmpty else { return text }
    return text.split(separator: password, omittingEmptySubsequences: false)
      .joined(separator: "***")
  }

  private var currentPlace: PostgresProblem.Place {
    func text(_ pointer: UnsafePointer<CChar>?) -> String {
      pointer.map { String(cString: $0) } ?? ""
    }
    let host = text(cclaims_host(pointer))
    let port = text(cclaims_port(pointer))
    let isSocket = host.hasPrefix("/") || host.hasPrefix("@")
    let name = host.isEmpty ? "localhost" : host
    let address = name.contains(":") && !isSocket ? "[\(name)]" : name
    return PostgresProblem.Place(
      server: address + (port.isEmpty ? "" : ":" + port),
      database: text(cclaims_database(pointer)), role: text(cclaims_user(pointer)))
  }

  static func text(owned: UnsafeMutablePointer<CChar>?) -> String? {
    guard let owned else { return nil }
    defer { free(owned) }
    return String(cString: owned)
  }
}

// MARK: - Opening one

extension PostgresConnection {
  /// The time for one host if neither the URL nor the environment sets one.
  private static let defaultHostTime = Duration.seconds(5)

  /// Connects to the first of the URL's hosts that will do.
  ///
  /// - Parameter onPlace: gets the server before a connection that can take its time.
  static func open(
    _ url: String, until deadline: Deadline,
    onPlace: (PostgresProblem.Place) -> Void = { _ in }
  ) throws(PostgresProblem) -> PostgresConnection {
    try PostgresLibrary.load()
    try check(url)
    let first = try start(url)
    onPlace(first.place)
    let hosts = first.hosts
    // libpq tries the next host by itself after one that refuses the connection. It does not after
    // one that never answers, nor after one that accepts the connection and closes it, as proxies
    // do that have lost their server.
    var problem: PostgresProblem
    do throws(PostgresProblem) {
      try first.connect(until: first.share(of: deadline, by: hosts.count))
      return first
    } catch {
      guard error.mayBeOneHosts, hosts.count > 1 else { throw error }
      problem = error
    }
    for (index, host) in hosts.enumerated().dropFirst() where Deadline.now < deadline {
      do throws(PostgresProblem) {
        let next = try start(url, host)
        onPlace(next.place)
        try next.connect(until: next.share(of: deadline, by: hosts.count - index))
        return next
      } catch {
        problem = error
      }
    }
    throw problem
  }

  /// One of several hosts, as options that prevail over the URL's lists.
  private typealias Host = [(keyword: String, value: String)]

  /// Checks that libpq can read it. The library must have been loaded.
  static func check(_ url: String) throws(PostgresProblem) {
    // libpq takes any other text for the name of a database.
    let isURL = url.hasPrefix("postgresql://") || url.hasPrefix("postgres://")
    if url.contains("://"), !isURL, !url.contains("=") {
      throw .badText("it does not start with postgresql://")
    }
    guard isURL || url.contains("=") else { return }
    if let flaw = text(owned: cclaims_flaw(url)) {
      throw .badText(PostgresWords(of: url).clean(flaw))
    }
  }

  private static func start(_ url: String, _ host: Host = []) throws(PostgresProblem)
    -> PostgresConnection
  {
    // Those before the URL are defaults.
    let options =
      [("fallback_application_name", "takt"), ("dbname", url)] + host
      + [("client_encoding", "UTF8")]
    // The copies live until the call returns; libpq keeps none of them.
    let copies = options.map { (strdup($0.0), strdup($0.1)) }
    defer {
      for copy in copies {
        free(copy.0)
        free(copy.1)
      }
    }
    let keywords = copies.map { UnsafePointer($0.0) } + [nil]
    let values = copies.map { UnsafePointer($0.1) } + [nil]
    guard let pointer = cclaims_start(keywords, values) else {
      throw .noLibrary("it is out of memory")
    }
    return PostgresConnection(pointer, url)
  }

  /// The reason why libpq would not even try to connect; nil if it would. Connects to nothing, and
  /// looks up no name. The library must have been loaded.
  static func rejection(of url: String) throws(PostgresProblem) -> String? {
    // An invalid address with one port: a complaint about it means that all before it is right.
    let nowhere = [("host", "nowhere"), ("hostaddr", "."), ("port", "1")]
    let connection = try start(url, nowhere)
    guard cclaims_status(connection.pointer) == cclaims_connection_bad,
      PostgresMessage.kind(of: connection.detail.words) == .badOption
    else { return nil }
    return PostgresWords(of: url).clean(connection.detail.words)
  }

  /// The hosts that libpq knows, from the URL or its environment.
  private var hosts: [Host] {
    let lists = ["host", "hostaddr", "port"].map { keyword in
      let text = Self.text(owned: cclaims_connection_option(pointer, keyword)) ?? ""
      let values = text.split(separator: ",", omittingEmptySubsequences: false)
      return (keyword, text.isEmpty ? [] : values)
    }
    let count = max(1, lists[0].1.count, lists[1].1.count)
    return (0..<count).map { index in
      lists.compactMap { keyword, values in
        values.indices.contains(index) ? (keyword, String(values[index])) : nil
      }
    }
  }

  /// The deadline of one of `count` hosts that are left.
  private func share(of deadline: Deadline, by count: Int) -> Deadline {
    let now = Deadline.now
    let text = Self.text(owned: cclaims_connection_option(pointer, "connect_timeout"))
    let given = text.flatMap { Int($0) }.flatMap { $0 > 0 ? Duration.seconds(max(2, $0)) : nil }
    // The last one may use all that is left, unless the user has set a limit.
    let left = deadline - now
    return now + min(left, given ?? (count > 1 ? min(left / count, Self.defaultHostTime) : left))
  }

  private func connect(until deadline: Deadline) throws(PostgresProblem) {
    // libpq wants the socket to be ready for writing before it is asked first.
    var events = POLLOUT
    guard cclaims_status(pointer) != cclaims_connection_bad else { throw refusal }
    while true {
      place = currentPlace
      do throws(PostgresProblem) {
        try wait(for: events, until: deadline)
      } catch {
        // The network has done its part by then.
        guard case .timeout = error, isConnected else { throw error }
        throw .silent(place)
      }
      switch cclaims_poll(pointer) {
      case cclaims_polling_ok: return try greet()
      case cclaims_polling_reading: events = POLLIN
      case cclaims_polling_writing: events = POLLOUT
      default: throw refusal
      }
    }
  }

  /// True once the server's system has accepted the connection.
  private var isConnected: Bool {
    let status = cclaims_status(pointer)
    return status != cclaims_connection_started && status != cclaims_connection_needed
  }

  /// Checks that the server suits takt.
  private func greet() throws(PostgresProblem) {
    place = currentPlace
    let version = Int(cclaims_server_version(pointer))
    guard version >= PostgresSchema.serverVersionMin else {
      throw .tooOld(place, version: version)
    }
    let encoding = cclaims_parameter(pointer, "server_encoding").map { String(cString: $0) }
    if let encoding, encoding != "UTF8" { throw .encoding(place, encoding) }
    guard cclaims_set_nonblocking(pointer) == 0 else { throw lost }
  }

  private var refusal: PostgresProblem {
    place = currentPlace
    let (state, words) = detail
    if let state { return .refused(place, state: state, words) }
    return switch PostgresMessage.kind(of: words) {
    case .notPostgres: .notPostgres(place)
    case .noPassword: .noPassword(place)
    case .tls: .tls(place, words)
    case .badOption: .badOption(PostgresWords(of: url).clean(words))
    case .other: .unreachable(place, words)
    }
  }
}

/// libpq, loaded when it is first needed.
enum PostgresLibrary {
  private static let isLoaded = Mutex(false)

  /// Loads the library. Where that fails it is tried again at the next batch, so that installing
  /// the package is enough.
  static func load() throws(PostgresProblem) {
    let problem: String? = isLoaded.withLock { isLoaded in
      guard !isLoaded else { return nil }
      guard let problem = cclaims_load() else {
        isLoaded = true
        return nil
      }
      return String(cString: problem)
    }
    if let problem { throw .noLibrary(problem) }
  }
}
