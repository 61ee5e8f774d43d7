package import TaktCore

package struct JobDraft: Sendable {
  package var name: String
  /// Comment lines above it: its source, and the comments there.
  var comments: [String]
  private var entries: [(key: JobKey, value: DraftValue)] = []
  /// The times in the source's notation, for `--verify`.
  package var times: [SourceTime] = []
  /// The command in a source that ignores exit statuses; nil for other sources.
  var command: SourceToken?

  init(name: String, comments: [String] = []) {
    self.name = name
    self.comments = comments
  }

  subscript(key: JobKey) -> DraftValue? {
    get { entries.first { $0.key == key }?.value }
    set {
      let index = entries.firstIndex { $0.key == key }
      switch (index, newValue) {
      case (let index?, let value?): entries[index].value = value
      case (let index?, nil): entries.remove(at: index)
      case (nil, let value?): entries.append((key, value))
      case (nil, nil): break
      }
    }
  }

  package var isDisabled: Bool { self[.enabled] == .word("false") }

  mutating func set(_ key: JobKey, _ inner: String, _ value: DraftValue) {
    var entries: [DraftEntry] = []
    if case .map(let old)? = self[key] { entries = old }
    entries.removeAll { $0.key == inner }
    entries.append(DraftEntry(key: inner, value: value))
    self[key] = .map(entries)
  }

  mutating func append(_ key: JobKey, _ value: DraftValue) {
    var items: [DraftValue] = []
    if case .list(let old)? = self[key] { items = old }
    self[key] = .list(items + [value])
  }

  /// In reading order: when, what, how.
  var ordered: [DraftEntry] {
    entries.enumerated().sorted { left, right in
      let ranks = (Self.rank(left.element.key), Self.rank(right.element.key))
      return ranks.0 == ranks.1 ? left.offset < right.offset : ranks.0 < ranks.1
    }.map { DraftEntry(key: $0.element.key.name, value: $0.element.value) }
  }

  private static let order: [JobKey] = [
    .description, .enabled, .on, .after, .every, .first, .from, .cron, .days, .calendar, .timezone,
    .spread, .jitter, .leeway, .missed, .overlap, .concurrency, .onlyIf, .user, .group, .directory,
    .shell, .inheritance, .environmentFile, .environment, .secrets, .umask, .run, .steps, .stdin,
  ]

  private static func rank(_ key: JobKey) -> Int { order.firstIndex(of: key) ?? order.count }
}

package enum SourceTime: Hashable, Sendable {
  /// Five fields or a name, with the program's rule for two day fields.
  case cron(String, rule: CronDayRule)
  /// An expression of `OnCalendar`.
  case calendar(String)
}
