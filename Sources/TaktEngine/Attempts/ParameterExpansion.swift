import Glibc
import TaktCore
import TaktTime

/// Replaces `{{job}}` with the facts of a run, and `{{secret.NAME}}` with the secrets that a text
/// refers to.
struct ParameterExpansion {
  enum Failure: Error {
    case unknownSecret(String)
    case unreadable(StartFailure)
    /// A fact would change the scheme or the host of a URL.
    case divertsURL
  }

  private let values: [Placeholders.Name: String]
  private let request: AttemptRequest
  private var secrets: [String: Secret] { request.spec.execution.secrets }
  /// The values of the secrets that were referred to, by name.
  private(set) var used: [String: String] = [:]
  /// The results of filters on those values.
  private var filtered: Set<String> = []
  /// All texts that contain a secret.
  var hidden: [String] { Array(used.values) + filtered }

  init(_ request: AttemptRequest) {
    values = Self.values(of: request)
    self.request = request
  }

  /// True if any text among the parameters has a placeholder.
  static func isNeeded(by parameters: Parameters) -> Bool {
    parameters.values.contains(where: hasBraces)
  }

  private static func hasBraces(_ value: ParameterValue) -> Bool {
    switch value {
    case .string(let text): text.utf8.contains(UInt8(ascii: "{"))
    case .list(let items): items.contains(where: hasBraces)
    case .map(let map): map.values.contains(where: hasBraces)
    case .integer, .number, .boolean, .duration: false
    }
  }

  static func values(of request: AttemptRequest) -> [Placeholders.Name: String] {
    // `late_ms` is the same as a process's `TAKT_LATE_MS`.
    let facts = Command.facts(of: request).compactMap { variable, value in
      Placeholders.Name(rawValue: variable.rawValue.dropFirst(5).lowercased()).map { ($0, value) }
    }
    var values = Dictionary(uniqueKeysWithValues: facts)
    // For people, while the variables are for programs.
    if let use = request.facts?.use {
      values[.cpu] = DurationText.brief(use.cpu)
      values[.memory] = use.memoryPeakBytes.map(SizeText.brief)
    }
    return values
  }

  /// The parameters without secrets: references to one stay as they are. Reads nothing.
  func expanded(_ parameters: Parameters) -> Parameters {
    parameters.mapValues { Placeholders.expand($0, values) }
  }

  /// The parameters with secrets filled in, and facts encoded in those of `urls`. May block.
  mutating func resolved(
    _ parameters: Parameters, urls: Set<String> = []
  ) throws(Failure) -> Parameters {
    var result = parameters
    for (name, value) in parameters {
      if case .string(let text) = value, urls.contains(name) {
        result[name] = .string(try resolved(url: text))
      } else {
        result[name] = try resolved(value)
      }
    }
    return result
  }

  private mutating func resolved(url text: String) throws(Failure) -> String {
    guard text.utf8.contains(UInt8(ascii: "{")), let parts = try? Placeholders.parse(text) else {
      return text
    }
    let url = try Placeholders.url(parts, values) { name, filters throws(Failure) in
      try secret(name, filters)
    }
    guard let url else { throw .divertsURL }
    return url
  }

  private mutating func resolved(_ value: ParameterValue) throws(Failure) -> ParameterValue {
    switch value {
    case .string(let text):
      return .string(try resolved(text))
    case .list(let items):
      var result: [ParameterValue] = []
      for item in items { result.append(try resolved(item)) }
      return .list(result)
    case .map(let map):
      var result = map
      for (name, item) in map { result[name] = try resolved(item) }
      return .map(result)
    case .integer, .number, .boolean, .duration:
      return value
    }
  }

  /// The content of a secret is plain text: braces in it mean nothing.
  private mutating func resolved(_ text: String) throws(Failure) -> String {
    // A text that cannot be parsed stays as it is, as it does without secrets.
    guard text.utf8.contains(UInt8(ascii: "{")), let parts = try? Placeholders.parse(text) else {
      return text
    }
    var result = ""
    for part in parts {
      switch part {
      case .text(let text): result += text
      case .name(let name, let filters): result += filters.applied(to: values[name] ?? "")
      case .secret(let name, let filters): result += try secret(name, filters)
      }
    }
    return result
  }

  private mutating func secret(
    _ name: String, _ filters: [Placeholders.Filter]
  ) throws(Failure) -> String {
    let value = try secret(name)
    if filters.isEmpty { return value }
    let text = filters.applied(to: value)
    filtered.insert(text)
    return text
  }

  private mutating func secret(_ name: String) throws(Failure) -> String {
    if let value = used[name] { return value }
    guard let secret = secrets[name] else { throw .unknownSecret(name) }
    do throws(StartFailure) {
      let owner = SecretReader.owner(for: request)
      let value = String(
        decoding: try SecretReader.value(of: secret, named: name, for: owner), as: UTF8.self)
      used[name] = value
      return value
    } catch {
      // The attempt's reason does not say what to do.
      if error.number == EPERM { Notices.postOnce(error.sentence) }
      throw .unreadable(error)
    }
  }
}
