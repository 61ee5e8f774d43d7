import TaktCore
import TaktSystem
import TaktTransfer

enum EtcdProblem: Error, Hashable {
  case noLibrary(String)
  case unreadableFile(String, OpenFailure)
  case noPassword(String)
  /// No connection, for a reason that is not the server's.
  case unreachable(Place, String)
  /// The server ends connections without an answer: it is stopping, or expects TLS, or a
  /// certificate.
  case closed(Place, String)
  case timeout(Place?)
  /// Something else listens there.
  case notEtcd(Place)
  case tooOld(Place, version: String)
  case tls(Place, String)
  /// The clock of etcd is not available.
  case noDate(Place)
  case needsUser(Place)
  case wrongPassword(Place, user: String)
  /// The login has expired, or predates a change of the users.
  case badToken(Place)
  case denied(Place, user: String?, prefix: String)
  case noSpace(Place)
  case tooMany(Place, String)
  /// No leader, or not enough members: etcd may answer again at once.
  case unavailable(Place, String)
  case compacted(Place)
  case refused(Place, String)
  /// A record of a later version.
  case newerRecord(Place, key: String)
  case unreadable(Place)
  /// Other machines' transactions were in the way until the deadline.
  case conflicts(Place)

  /// `http://10.0.0.1:2379`, without secrets.
  struct Place: Hashable {
    var text: String

    var isTLS: Bool { text.hasPrefix("https:") }
  }
}

extension EtcdProblem {
  /// True if another endpoint may succeed.
  var isOfOneEndpoint: Bool {
    switch self {
    case .unreachable, .closed, .timeout, .notEtcd, .tooOld, .tls, .noDate, .unavailable,
      .unreadable:
      true
    case .noLibrary, .unreadableFile, .noPassword, .needsUser, .wrongPassword, .badToken, .denied,
      .noSpace, .tooMany, .compacted, .refused, .newerRecord, .conflicts:
      false
    }
  }

  /// True if waiting does not help.
  var isPermanent: Bool {
    switch self {
    case .noLibrary, .unreadableFile, .noPassword, .notEtcd, .tooOld, .tls, .noDate, .needsUser,
      .wrongPassword, .denied, .newerRecord, .unreadable:
      true
    case .unreachable, .closed, .timeout, .badToken, .noSpace, .tooMany, .unavailable, .compacted,
      .refused, .conflicts:
      false
    }
  }

  init(_ failure: TransferFailure, at place: Place) {
    switch failure.cause {
    case .noLibrary: self = .noLibrary(failure.detail)
    case .timeout: self = .timeout(place)
    case .tls: self = .tls(place, failure.detail)
    case .badProtocol: self = .notEtcd(place)
    case .closed: self = .closed(place, failure.detail)
    default:
      self = .unreachable(place, failure.detail.isEmpty ? "\(failure.cause)" : failure.detail)
    }
  }

  /// From a server's answer that refuses the request.
  init(_ refusal: EtcdMessage.Refusal, at place: Place, user: String?, prefix: String) {
    let words = refusal.message ?? refusal.error ?? ""
    let signs: [(String, EtcdProblem)] = [
      ("user name is empty", .needsUser(place)),
      ("user name not found", .needsUser(place)),
      ("invalid user ID or password", .wrongPassword(place, user: user ?? "")),
      ("invalid auth token", .badToken(place)),
      ("revision of auth store is old", .badToken(place)),
      ("permission denied", .denied(place, user: user, prefix: prefix)),
      ("space exceeded", .noSpace(place)),
      ("too many operations in txn", .tooMany(place, "--max-txn-ops")),
      ("request is too large", .tooMany(place, "--max-request-bytes")),
      ("has been compacted", .compacted(place)),
    ]
    if let sign = signs.first(where: { words.contains($0.0) }) {
      self = sign.1
    } else if [1, 2, 4, 8, 10, 13, 14].contains(refusal.code ?? 14) {
      self = .unavailable(place, words)
    } else {
      self = .refused(place, words)
    }
  }
}

// MARK: - In words

extension EtcdProblem {
  func failure(patience: Duration) -> ClaimFailure {
    ClaimFailure(words(patience), isPermanent: isPermanent)
  }

  private func words(_ patience: Duration) -> String {
    switch self {
    case .noLibrary(let detail):
      "libcurl is not available (\(detail)). Install it, on Debian with `apt-get install libcurl4`."
    case .unreadableFile(let path, let failure): Self.sentence(failure, path)
    case .noPassword(let words): "The password for etcd is not available: \(words.sentence)"
    case .unreachable(let place, let detail):
      "Cannot connect to etcd at \(place.text): \(detail.sentence) "
        + "Check the address, the network, and that the server is running."
    case .closed(let place, let detail):
      "The server at \(place.text) closed the connection: \(detail.sentence) Check that it is etcd, "
        + "and whether it \(place.isTLS ? "requires 'cert' and 'key'." : "must be https://.")"
    case .timeout(let place):
      "etcd\(place.map { " at \($0.text)" } ?? "") did not answer within \(patience.plainWords). "
        + "Check the network, the server's load, and that most members of etcd are running."
    case .notEtcd(let place):
      "The server at \(place.text) is not etcd. Check the host, the port, and whether it must be "
        + "http:// or https://."
    case .tooOld(let place, let version):
      "etcd at \(place.text) is version \(version); takt requires 3.4 or newer."
    case .tls(let place, let detail):
      "TLS with etcd at \(place.text) fails: \(detail.sentence) "
        + "Check 'ca', 'cert' and 'key', and the server's certificate."
    case .noDate(let place):
      "The answers of etcd at \(place.text) have no header 'Date', from which takt reads its clock. "
        + "Connect to etcd itself, or let the proxy pass it on."
    case .needsUser(let place):
      "etcd at \(place.text) requires a user. Add 'username' and 'password'."
    case .wrongPassword(let place, let user):
      "etcd at \(place.text) rejects the password of user '\(user)'. Correct 'username' or the file "
        + "or variable of 'password'."
    case .badToken(let place): "etcd at \(place.text) has ended the login. takt logs in again."
    case .denied(let place, let user, let prefix):
      "etcd at \(place.text) denies \(user.map { "user '\($0)'" } ?? "takt") access to '\(prefix)'. "
        + "Grant it to a role of the user: `etcdctl role grant-permission ROLE --prefix=true "
        + "readwrite \(prefix)`."
    case .noSpace(let place):
      "etcd at \(place.text) has no space left and refuses writes. Compact and defragment it, then "
        + "run `etcdctl alarm disarm`; start it with --auto-compaction-retention=1h."
    case .tooMany(let place, let option):
      "etcd at \(place.text) refuses the size of takt's transactions. Do not set \(option) below its "
        + "default."
    case .unavailable(let place, let detail):
      "etcd at \(place.text) does not serve requests: \(detail.sentence) "
        + "Check that most of its members are running."
    case .compacted(let place):
      "etcd at \(place.text) has compacted its history while takt was reading. takt tries again."
    case .refused(let place, let detail): "etcd at \(place.text) reports: \(detail.sentence)"
    case .newerRecord(let place, let key):
      "The record '\(key)' in etcd at \(place.text) is one that this takt cannot read. Upgrade takt "
        + "on this machine. If all machines have this version, something else has written the "
        + "record."
    case .unreadable(let place):
      "etcd at \(place.text) returned something that takt cannot read. Check the host and the port."
    case .conflicts(let place):
      "Other machines changed the cluster's records in etcd at \(place.text) for "
        + "\(patience.plainWords) without a pause. Check etcd's load."
    }
  }

  private static func sentence(_ failure: OpenFailure, _ path: String) -> String {
    switch failure {
    case .distrusted(let problem): "'\(path)': \(problem.advice)."
    case .system: "Cannot read '\(path)'. Check that it exists and its permissions."
    }
  }
}
