/// The facts of a run, in a text as `{{job}}`, and the secrets, as `{{secret.NAME}}`, each with
/// optional filters as in `{{output
/// json}}`; `{{{{` stands for `{{` itself.
package enum Placeholders {
  package enum Name: String, CaseIterable, Hashable, Sendable {
    case job, run, slot, attempt, fence, hook, host, outcome, reason, streak, attempts, output
    case runURL = "run_url"
    case durationMilliseconds = "duration_ms"
    case latenessMilliseconds = "late_ms"
    case cpu, memory

    /// The variable of a process with the same value.
    package var variable: String {
      switch self {
      case .cpu: "TAKT_CPU_MS"
      case .memory: "TAKT_MEMORY_PEAK"
      case .job, .run, .slot, .attempt, .fence, .host, .runURL, .hook, .outcome, .reason, .streak,
        .attempts, .output, .durationMilliseconds, .latenessMilliseconds:
        "TAKT_\(rawValue.uppercased())"
      }
    }

    /// True if only a hook knows it, not the run of a job.
    package var isOfHooks: Bool {
      switch self {
      case .job, .run, .slot, .attempt, .fence: false
      case .host, .runURL, .hook, .outcome, .reason, .streak, .attempts, .output,
        .durationMilliseconds, .latenessMilliseconds, .cpu, .memory:
        true
      }
    }
  }

  package enum Part: Hashable, Sendable {
    case text(String)
    case name(Name, [Filter] = [])
    /// Replaced by the value of the job's secret of this name.
    case secret(String, [Filter] = [])
  }

  /// The reason why a text with braces has no meaning.
  package enum Problem: Error, Hashable, Sendable {
    /// `{{` with no `}}` after it.
    case unclosed
    case unknown(String)
    case unknownFilter(String)
  }

  /// Ignores spaces next to a name or a filter.
  package static func parse(_ text: String) throws(Problem) -> [Part] {
    var parts: [Part] = []
    for piece in try pieces(of: text) {
      switch piece {
      case .text(let text): parts.append(.text(text))
      case .braces(let word, let filters): parts.append(try part(word, filters))
      }
    }
    return parts
  }

  /// A piece of a text, its words not yet looked up.
  enum Piece {
    case text(String)
    /// A word between braces, and the filters after it, divided by `
    /// `.
    case braces(String, [String])
  }

  static func pieces(of text: String) throws(Problem) -> [Piece] {
    var pieces: [Piece] = []
    var literal: [UInt8] = []
    var rest = Array(text.utf8)[...]
    func flush() {
      if !literal.isEmpty { pieces.append(.text(String(decoding: literal, as: UTF8.self))) }
      literal = []
    }
    while let byte = rest.first {
      guard rest.starts(with: "{{".utf8) else {
        literal.append(byte)
        rest.removeFirst()
        continue
      }
      rest = rest.dropFirst(2)
      if rest.starts(with: "{{".utf8) {
        literal += "{{".utf8
        rest = rest.dropFirst(2)
        continue
      }
      guard let end = rest.indices.first(where: { rest[$0...].starts(with: "}}".utf8) }) else {
        throw .unclosed
      }
      flush()
      let words = rest[..<end].split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
        .map { String(decoding: trimmed($0), as: UTF8.self) }
      pieces.append(.braces(words.first ?? "", Array(words.dropFirst())))
      rest = rest[(end + 2)...]
    }
    flush()
    return pieces
  }

  private static func part(_ word: String, _ filterWords: [String]) throws(Problem) -> Part {
    let name = Name(rawValue: word)
    guard name != nil || word.hasPrefix(secretPrefix) else { throw .unknown(word) }
    var filters: [Filter] = []
    for word in filterWords {
      guard let filter = Filter(rawValue: word) else { throw .unknownFilter(word) }
      filters.append(filter)
    }
    return name.map { .name($0, filters) }
      ?? .secret(String(word.dropFirst(secretPrefix.count)), filters)
  }

  private static let secretPrefix = "secret."

  package static func secrets(in value: ParameterValue) -> Set<String> {
    switch value {
    case .string(let text):
      guard text.utf8.contains(UInt8(ascii: "{")), let parts = try? parse(text) else { return [] }
      return Set(parts.compactMap { if case .secret(let name, _) = $0 { name } else { nil } })
    case .list(let items): return items.reduce(into: []) { $0.formUnion(secrets(in: $1)) }
    case .map(let map): return map.values.reduce(into: []) { $0.formUnion(secrets(in: $1)) }
    case .integer, .number, .boolean, .duration: return []
    }
  }

  /// The text with each fact's value in its place, nothing for a fact without one; secrets stay
  /// named. A malformed text stays as it is.
  package static func expand(_ text: String, _ values: [Name: String]) -> String {
    // Most texts have none, and a search is cheaper than taking them to pieces.
    guard text.utf8.contains(UInt8(ascii: "{")), let parts = try? parse(text) else { return text }
    return parts.reduce(into: "") { whole, part in
      switch part {
      case .text(let text): whole += text
      case .name(let name, let filters): whole += filters.applied(to: values[name] ?? "")
      case .secret(let name, let filters):
        let words = ["\(secretPrefix)\(name)"] + filters.map(\.rawValue)
        whole += "{{\(words.joined(separator: "|"))}}"
      }
    }
  }

  /// The value with the placeholders of all its texts replaced, those in lists and mappings too;
  /// names of mappings stay as they are.
  package static func expand(_ value: ParameterValue, _ values: [Name: String]) -> ParameterValue {
    switch value {
    case .string(let text): .string(expand(text, values))
    case .list(let items): .list(items.map { expand($0, values) })
    case .map(let map): .map(map.mapValues { expand($0, values) })
    case .integer, .number, .boolean, .duration: value
    }
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let space = UInt8(ascii: " ")
    let rest = bytes.drop { $0 == space }
    return rest.prefix(rest.count - rest.reversed().prefix { $0 == space }.count)
  }
}
