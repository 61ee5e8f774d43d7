import CTaktClaims
import Glibc
import TaktSystem

/// Checks the connection string of a cluster without connecting.
///
/// Most of the checks are libpq's. Without libpq none are made.
package enum PostgresURL {
  package struct Flaw: Hashable, Sendable {
    /// A sentence in lower case and without a full stop or secrets.
    package var message: String
    package var hint: String?
    /// It concerns this machine: a file, its environment, its libpq.
    package var isOfThisMachine = false
  }

  /// - Parameter isThorough: true to check files of this machine as well.
  package static func flaws(in url: String, isThorough: Bool) -> [Flaw] {
    do throws(PostgresProblem) {
      try PostgresLibrary.load()
      if !url.isEmpty { try PostgresConnection.check(url) }
    } catch {
      guard case .badText(let words) = error else { return [] }
      return [Flaw(message: "'url' is invalid: \(words)", hint: hint(for: words))]
    }
    func option(_ keyword: String) -> String? {
      PostgresConnection.text(owned: cclaims_option(url, keyword))
    }
    var flaws = portFlaws(option) + numberFlaws(option)
    if isThorough {
      flaws += fileFlaws(option)
      // libpq's next complaint is about the ports again.
      if flaws.allSatisfy(\.isOfThisMachine), let flaw = optionFlaw(url, option) {
        flaws.append(flaw)
      }
    }
    return flaws
  }

  private static func hint(for words: String) -> String {
    if words.hasPrefix("invalid URI query parameter")
      || words.hasPrefix("invalid connection option")
    {
      return "correct the parameter's name, or remove it"
    }
    if words.hasPrefix("missing \"=\"") {
      return "write NAME=VALUE, and a value with blanks in quotes: 'a b'"
    }
    return "write postgresql://USER@HOST:PORT/DATABASE, or host=HOST dbname=DATABASE"
  }

  // MARK: Values

  private static func list(_ text: String?) -> [Substring] {
    text?.split(separator: ",", omittingEmptySubsequences: false) ?? []
  }

  private static func portFlaws(_ option: (String) -> String?) -> [Flaw] {
    let ports = list(option("port"))
    if ports.contains(where: { !$0.isEmpty && !(1...65_535).contains(Int($0) ?? 0) }) {
      return [
        Flaw(
          message: "the port in 'url' is not a number from 1 to 65535",
          hint: "correct it; PostgreSQL's default is 5432")
      ]
    }
    let hosts = max(1, list(option("host")).count, list(option("hostaddr")).count)
    guard ports.count > 1, ports.count != hosts else { return [] }
    return [
      Flaw(
        message: "'url' has \(ports.count) ports for \(hosts) host\(hosts == 1 ? "" : "s")",
        hint: "write one port for each host, or one for all")
    ]
  }

  /// libpq takes its default for them without a word.
  private static func numberFlaws(_ option: (String) -> String?) -> [Flaw] {
    let keywords = [
      "connect_timeout", "keepalives", "keepalives_idle", "keepalives_interval",
      "keepalives_count", "tcp_user_timeout",
    ]
    return keywords.compactMap { keyword in
      guard let text = option(keyword), Int(text) == nil else { return nil }
      return Flaw(
        message: "'\(keyword)' in 'url' is no number, and has no effect",
        hint: "write a number of \(keyword == "tcp_user_timeout" ? "milliseconds" : "seconds")",
        isOfThisMachine: true)
    }
  }

  private static func fileFlaws(_ option: (String) -> String?) -> [Flaw] {
    ["sslrootcert", "sslcert", "sslkey"].compactMap { keyword in
      // Anything but a path names the system's certificates, or a device.
      guard let path = option(keyword), path.contains("/") || !path.contains(":"),
        path != "system", access(path, R_OK) != 0
      else { return nil }
      let number = errno
      let flaw = number == ENOENT ? "does not exist" : SystemError.text(number)
      return Flaw(
        message: "the file of '\(keyword)' in 'url' "
          + (number == ENOENT ? flaw : "cannot be read: \(flaw)"),
        hint: "create it, or correct its path", isOfThisMachine: true)
    }
  }

  /// libpq's verdict on the values, its environment and its service files. It is given an invalid
  /// address, so that it looks up no name and connects to nothing.
  private static func optionFlaw(_ url: String, _ option: (String) -> String?) -> Flaw? {
    let words: String
    do throws(PostgresProblem) {
      guard let found = try PostgresConnection.rejection(of: url) else { return nil }
      words = found
    } catch {
      return nil
    }
    let isOfService = words.contains("service")
    let keywords = [
      "sslmode", "gssencmode", "channel_binding", "target_session_attrs", "require_auth",
      "load_balance_hosts", "sslnegotiation", "ssl_min_protocol_version",
      "ssl_max_protocol_version", "sslrootcert",
    ]
    let keyword = keywords.first { words.contains($0) && option($0) != nil }
    let isOwn = !isOfService && keyword != nil
    return Flaw(
      message: isOwn || option("service") != nil
        ? "libpq rejects 'url': \(words)"
        : "libpq rejects a setting of this machine: \(words)",
      hint: isOfService
        ? "name a service of ~/.pg_service.conf or of the file in PGSERVICEFILE"
        : isOwn
          ? "correct '\(keyword ?? "")' in 'url'" : "correct libpq's variables, such as PGSSLMODE",
      isOfThisMachine: !isOwn)
  }
}
