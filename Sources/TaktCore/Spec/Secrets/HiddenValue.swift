import TaktTime

/// One value of a key that logs do not show: a command, a variable, a parameter.
package struct HiddenValue: Hashable, Sendable {
  /// Its place: `run`, `env.PATH`, `steps[2].with.url`.
  package var path: String
  package var text: String
  /// The text without anything that may be a password or a token.
  package var shown: String

  /// - Parameter isSecret: true to mask it as a whole; nil if the last name of the path decides.
  init(_ path: String, _ text: String, isSecret: Bool? = nil) {
    self.path = path
    self.text = text
    shown =
      switch isSecret {
      case true: SensitiveText.masked(secret: text, of: path.split(separator: ".").last ?? "")
      case false: text
      case nil: SensitiveText.masked(text, of: path.split(separator: ".").last ?? "")
      }
  }

  /// A list of words, any of which may be a command by itself.
  init(_ path: String, words: [String], isSecret: Bool? = nil) {
    // Before they are quoted to be shown.
    let masked = isSecret == nil ? words.map { SensitiveText.masked($0) } : words
    self.init(path, [Self].words(masked), isSecret: isSecret)
    text = [Self].words(words)
  }

  /// The same value in two specs of a job, at least one of which has it.
  package struct Change: Hashable, Sendable {
    /// The most characters of a text.
    private static let charactersMax = 4000

    package var path: String
    /// The previous text; nil when there was none.
    package var from: String?
    package var to: String?

    fileprivate init(_ path: String, _ from: HiddenValue?, _ to: HiddenValue?) {
      self.path = path
      self.from = from.map { Self.cut($0.shown) }
      self.to = to.map { Self.cut($0.shown) }
    }

    private static func cut(_ text: String) -> String {
      guard text.utf8.count > charactersMax, text.count > charactersMax else { return text }
      return text.prefix(charactersMax) + "… (\(text.count - charactersMax) more characters)"
    }
  }

  /// The differences, in the order of the earlier values and then of the later ones.
  static func changes(from old: [Self], to new: [Self]) -> [Change] {
    let before = Dictionary(old.map { ($0.path, $0) }) { first, _ in first }
    let after = Dictionary(new.map { ($0.path, $0) }) { first, _ in first }
    let paths = old.map(\.path) + new.map(\.path).filter { before[$0] == nil }
    return paths.compactMap { path in
      let (from, to) = (before[path], after[path])
      return from?.text == to?.text ? nil : Change(path, from, to)
    }
  }
}

extension [HiddenValue] {
  /// A list of words, as a jobs file may write it: `[echo, "two words"]`.
  static func words(_ words: [String]) -> String {
    let shown = words.map { word in
      let isPlain = word.utf8.allSatisfy {
        (0x2b...0x7e).contains($0) && !"[]{},:".utf8.contains($0)
      }
      if isPlain, !word.isEmpty { return word }
      return "\"\(word.map { "\\\"".contains($0) ? "\\\($0)" : "\($0)" }.joined())\""
    }
    return "[\(shown.joined(separator: ", "))]"
  }

  /// Those of several actions: `steps[1].run`.
  static func of(_ steps: [Step], under path: String) -> Self {
    steps.enumerated().flatMap { place, step -> Self in
      let path = "\(path)[\(place + 1)]"
      var own = of(step.action, under: "\(path).")
      if step.rule.when != .every {
        own.append(HiddenValue("\(path).when", step.rule.when.text))
      }
      if let interval = step.rule.interval {
        own.append(HiddenValue("\(path).repeat", DurationText.format(interval)))
      }
      guard step.continues else { return own }
      let text = step.isFailureIgnored ? "ignore" : "true"
      return own + [HiddenValue("\(path).continue", text)]
    }
  }

  /// Those of one action, each behind a prefix such as `on_failure[1].`.
  static func of(_ action: Action, under prefix: String) -> Self {
    switch action {
    case .shell(let text): [HiddenValue("\(prefix)run", text)]
    case .argv(let words): [HiddenValue("\(prefix)run", words: words)]
    case .use(let name, let parameters):
      [HiddenValue("\(prefix)use", name)]
        + of(parameters, secret: SensitiveText.parameters(of: name), under: "\(prefix)with")
    case .plugin(let plugin, let parameters):
      [HiddenValue("\(prefix)use", plugin.name)] + of(plugin, under: "\(prefix)plugin")
        + of(
          parameters, secret: Set(plugin.parameters.filter(\.schema.isSecret).map(\.schema.name)),
          under: "\(prefix)with")
    case .steps(let steps): of(steps, under: "\(prefix)steps")
    }
  }

  /// Those of a manifest that has changed on disk.
  private static func of(_ plugin: PluginManifest, under path: String) -> Self {
    let work =
      plugin.request.map { HiddenValue("\(path).request", "\($0.method) \($0.urlText)") }
      ?? HiddenValue("\(path).command", words: plugin.command)
    return [
      HiddenValue("\(path).version", plugin.version), work,
      HiddenValue("\(path).folder", plugin.folder),
    ]
  }

  private static func of(
    _ parameters: Parameters, secret: Set<String>, under path: String
  ) -> Self {
    parameters.sorted { $0.key < $1.key }.flatMap { name, value in
      of(value, isSecret: secret.contains(name) ? true : nil, under: "\(path).\(name)")
    }
  }

  private static func of(_ value: ParameterValue, isSecret: Bool?, under path: String) -> Self {
    if case .map(let entries) = value {
      return entries.sorted { $0.key < $1.key }.flatMap { name, value in
        of(value, isSecret: isSecret, under: "\(path).\(name)")
      }
    }
    if case .list(let items) = value {
      return [HiddenValue(path, words: items.map(\.text), isSecret: isSecret)]
    }
    return [HiddenValue(path, value.text, isSecret: isSecret)]
  }
}

extension ParameterValue {
  fileprivate var text: String {
    switch self {
    case .string(let text): text
    case .integer(let number): String(number)
    case .number(let number): String(number)
    case .boolean(let value): String(value)
    case .duration(let duration): DurationText.format(duration)
    case .list(let items): [HiddenValue].words(items.map(\.text))
    case .map(let entries):
      [HiddenValue].words(entries.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.text)" })
    }
  }
}
