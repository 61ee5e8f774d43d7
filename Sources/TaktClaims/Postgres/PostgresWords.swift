/// libpq's own words about a connection string, without anything that may be a password.
///
/// libpq quotes parts of the text: `missing "=" after "…" in connection info string`. A part is
/// kept if it is outside of anything that may be secret.
struct PostgresWords {
  private let shown: String
  /// The part that may hold a password, or be meant for one.
  private let hidden: String

  init(of url: String) {
    let isURL = url.hasPrefix("postgresql://") || url.hasPrefix("postgres://")
    if url.lowercased().contains("password") {
      // Where it ends is not certain in a text that is wrong.
      (shown, hidden) = ("", url)
    } else if isURL {
      let scheme = url.prefix { $0 != "/" }.count + 2
      let rest = url.dropFirst(scheme)
      let end =
        rest.lastIndex(of: "@") ?? rest.firstIndex { "/?".contains($0) } ?? rest.endIndex
      (shown, hidden) = (String(rest[end...]), String(rest[..<end]))
    } else {
      (shown, hidden) = (url, "")
    }
  }

  func clean(_ text: String) -> String {
    let line = text.split(separator: "\n").joined(separator: " ")
    let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
    // Without pairs of quotes it is not known what is quoted.
    guard parts.count % 2 == 1 else { return String(parts[0]) + "…" }
    return parts.enumerated().map { index, part in
      index % 2 == 0 || mayShow(part) ? String(part) : "…"
    }.joined(separator: "\"")
  }

  /// If the text has no secret, all of it, and anything libpq has from its environment.
  private func mayShow(_ part: Substring) -> Bool {
    part == "=" || hidden.isEmpty || (shown.contains(part) && !hidden.contains(part))
  }
}
