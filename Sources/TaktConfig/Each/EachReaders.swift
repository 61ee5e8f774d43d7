import TaktCore

/// Finds the reader of a text in a job from the keys above it.
struct EachReaders {
  /// Keys under which a shell reads `run`.
  private static let actionKeys = Set(
    [JobKey.steps.name, JobKey.onlyIf.name, Key.add] + HookKind.allCases.map(\.key.name))

  /// The reader of a job's `run`.
  private let shell: EachText.Reader
  private var isOfActions = true
  private var isOfParameters = false
  private var key = ""
  /// The arguments before this one, if a list is a command; nil elsewhere.
  private var words: [String]?

  /// - Parameter shell: the `shell` of the job or of `defaults`; nil for none.
  init(shell: YAMLNode?) {
    self.shell = Self.readsText(shell) ? .shell : .unknownShell
  }

  private static func readsText(_ shell: YAMLNode?) -> Bool {
    switch shell?.content {
    case nil, .mapping, .invalid: return true
    case .scalar(let scalar): return scalar.isNull || UsualShell.isUsual(scalar.text)
    case .sequence(let items):
      let words = items.compactMap(\.text)
      return words.count == items.count && UsualShell.readsText(after: words)
    }
  }

  var reader: EachText.Reader {
    if isOfParameters { return .action }
    if let words { return ShellCommand.reader(after: words) }
    return isOfActions && key == JobKey.run.name ? shell : .takt
  }

  /// The readers for the texts below a key.
  func reading(_ key: String) -> EachReaders {
    var inner = self
    inner.isOfParameters = isOfParameters || isOfActions && key == JobKey.with.name
    inner.isOfActions = isOfActions && (self.key.isEmpty || Self.actionKeys.contains(self.key))
    inner.key = key
    inner.words = nil
    return inner
  }

  /// The readers for the first item of a list.
  func readingItems() -> EachReaders {
    var inner = self
    inner.isOfActions = isOfActions && Self.actionKeys.contains(key)
    let isCommand = isOfActions && (key == JobKey.run.name || key == JobKey.onlyIf.name)
    inner.words = isCommand ? [] : nil
    inner.key = ""
    return inner
  }

  /// Moves to the next item of a list.
  mutating func pass(_ item: YAMLNode) { words?.append(item.text ?? "") }
}

extension YAMLNode {
  fileprivate var text: String? {
    if case .scalar(let scalar) = content { scalar.text } else { nil }
  }
}
