import TaktCore

/// Reads values as the types in the key table, and reports those of other types.
struct KeyReader {
  let reporter: Reporter

  func fields(of entries: [YAMLEntry], keys: KeyRows, owner: KeyOwner) -> KeyFields {
    var result = KeyFields(capacity: entries.count)
    for entry in entries {
      guard let key = keys[entry.key] else {
        reportUnknown(entry, keys: keys, owner: owner)
        result.hasUnknownKeys = true
        continue
      }
      if owner.part == .defaults, owner.key == nil, !key.isAllowedInDefaults {
        reporter.report(
          .misplacedKey, at: entry.keyMark, "'\(key.name)' is not allowed in '\(Key.defaults)'",
          hint: "set it in each job")
        continue
      }
      let value = read(entry.value, of: key, owner: owner)
      result.append(
        KeyFields.Field(
          entry: key, keyMark: entry.keyMark, value: value, mark: entry.value.mark))
    }
    return result
  }

  private func read(_ node: YAMLNode, of key: KeyEntry, owner: KeyOwner) -> KeyValue? {
    guard case .scalar(let scalar) = node.content, scalar.isNull else {
      return key.mayHoldSecrets
        ? hidden(node, of: key, owner: owner)
        : value(node, as: key.type, of: key.name, owner: owner)
    }
    if case .job = owner.part, key.mayBeNull, isPlainNull(scalar) { return .null }
    reportNull(scalar, at: node.mark, key: key, owner: owner)
    return nil
  }

  /// `~` is YAML's null, but a person who writes it for a path means a home folder.
  private func isPlainNull(_ scalar: YAMLScalar) -> Bool {
    !scalar.isBlank && scalar.text != "~"
  }

  /// Returns nil for a wrong value, which is reported.
  func value(_ node: YAMLNode, as type: KeyType, of key: String, owner: KeyOwner) -> KeyValue? {
    switch node.content {
    case .invalid: return nil
    case _ where type.isAnything: return .node(node)
    case .scalar(let scalar): return self.scalar(scalar, at: node.mark, as: type, of: key)
    case .sequence(let items):
      guard let item = type.itemType else { break }
      return list(items, of: item, at: node.mark, key: key, owner: owner)
    case .mapping(let entries):
      switch type {
      case .object(let keys):
        let inner = KeyOwner(owner, key)
        return .object(fields(of: entries, keys: keys, owner: inner))
      case .map(let rule, let valueType):
        return .map(map(entries, rule: rule, of: valueType, owner: owner))
      case .oneOf(let types):
        if let object = types.first(where: \.isMapping) {
          return value(node, as: object, of: key, owner: owner)
        }
      case .oneOrMore(let item) where item.isMapping:
        let one = value(node, as: item, of: key, owner: owner)
        return one.map { .list([KeyValue.Located(value: $0, mark: node.mark)]) }
      default: break
      }
    }
    reporter.report(
      .wrongType, at: node.mark, "'\(key)' must be \(type.phrase), not \(node.phrase)",
      hint: KeyExample.hint(for: key, type))
    return nil
  }

  private func list(
    _ items: [YAMLNode], of type: KeyType, at mark: YAMLMark, key: String, owner: KeyOwner
  ) -> KeyValue? {
    if items.isEmpty {
      reporter.report(
        .badValue, at: mark, "the list of '\(key)' is empty",
        hint: "add an item, or remove '\(key)'")
      return nil
    }
    var isWhole = true
    var list: [KeyValue.Located] = []
    for item in items {
      if case .sequence = item.content, type.itemType == nil, !type.isAnything {
        reporter.report(
          .wrongType, at: item.mark,
          "an item of '\(key)' must be \(type.phrase), not \(item.phrase)",
          hint: "write all items in one list")
        isWhole = false
      } else if let value = value(item, as: type, of: key, owner: owner) {
        list.append(KeyValue.Located(value: value, mark: item.mark))
      } else {
        isWhole = false
      }
    }
    return isWhole ? .list(list) : nil
  }

  private func map(
    _ entries: [YAMLEntry], rule: KeyNameRule, of type: KeyType, owner: KeyOwner
  ) -> [KeyValue.MapField] {
    entries.map { entry in
      var field = KeyValue.MapField(
        name: entry.key, nameMark: entry.keyMark, value: nil, mark: entry.value.mark)
      guard check(entry, against: rule) else { return field }
      if rule == .environment, case .job = owner.part,
        case .scalar(let scalar) = entry.value.content, scalar.isNull, !scalar.isBlank
      {
        field.value = .null
      } else {
        field.value = value(entry.value, as: type, of: entry.key.shortened, owner: owner)
      }
      return field
    }
  }

  /// Reports a name that breaks its rule, and then returns false.
  private func check(_ entry: YAMLEntry, against rule: KeyNameRule) -> Bool {
    let name = entry.key
    switch rule {
    case .job, .parameter: return true
    case .environment where name.isVariableName:
      return reporter.check(variable: name, at: entry.keyMark)
    case .group where JobName(name) != nil, .label where JobName(name) != nil: return true
    case .text where !name.isEmpty && name.unicodeScalars.allSatisfy({ $0.value >= 0x20 }):
      return true
    case .calendar where JobName(name) != nil && (try? CalendarExpression(name)) == nil: return true
    case .calendar:
      reporter.report(
        .badName, at: entry.keyMark, "'\(name.shortened)' is not a valid calendar name",
        hint: JobName(name) == nil
          ? Self.nameHint : "it is an expression as well; write another, such as holidays")
    case .environment:
      reporter.report(
        .badName, at: entry.keyMark, "'\(name.shortened)' is not a valid variable name",
        hint: VariableName.hint)
    case .group:
      reporter.report(
        .badName, at: entry.keyMark, "'\(name.shortened)' is not a valid group name",
        hint: Self.nameHint)
    case .label:
      reporter.report(
        .badName, at: entry.keyMark, "'\(name.shortened)' is not a valid label",
        hint: Self.nameHint)
    case .text:
      reporter.report(
        .badName, at: entry.keyMark, "'\(name.shortened)' is not a valid name",
        hint: "a name is not empty and has no control characters")
    }
    return false
  }

  func reportUnknown(_ entry: YAMLEntry, keys: KeyRows, owner: KeyOwner) {
    // Keys in a calendar, or in the request of a manifest, are not misplaced keys of a job.
    let isWithin = owner.part == .file && owner.key != nil
    if !isWithin, !owner.part.isOfTests, let home = Self.home(of: entry.key) {
      reporter.report(
        .misplacedKey, at: entry.keyMark, "'\(entry.key)' is not allowed in \(owner)",
        hint: "it belongs \(home)")
      return
    }
    var nearest: String?
    func hint() -> String? {
      if let first = entry.key.unicodeScalars.first, first.isWideSpace {
        return "a no-break space stands before it; indent with plain spaces"
      }
      if owner.part == .file, entry.value.looksLikeJob { return "indent a job below 'jobs:'" }
      nearest = NearestName.of(entry.key, among: keys.lazy.map(\.name))
      return ForeignKeys.hint(for: entry.key, among: keys)
        ?? nearest.map { "did you mean '\($0)'?" }
        ?? (owner.part == .file ? Self.hint(naming: keys, owner.key) : nil)
        ?? (owner.part.isOfTests ? "the keys here are \(Self.names(of: keys))" : nil)
    }
    reporter.report(
      .unknownKey, at: entry.keyMark, "unknown key '\(entry.key.shortened)'", hint: hint(),
      owner: owner)
    if let nearest, keys[nearest]?.mayHoldSecrets == true {
      reporter.hideLine(of: entry.keyMark)
      hideLines(of: entry.value)
    }
  }

  /// A list of all keys of a jobs file, of a calendar in it, or of the `request` of a manifest.
  private static func hint(naming keys: KeyRows, _ owner: String?) -> String {
    let place =
      switch owner {
      case nil: "a jobs file"
      case Key.request?: "'\(Key.request)'"
      case _?: "a calendar"
      }
    return "the keys of \(place) are \(names(of: keys))"
  }

  private static func names(of keys: KeyRows) -> String {
    keys.map { "'\($0.name)'" }.joined(separator: ", ")
  }

  /// The right place of a misplaced key.
  private static func home(of key: String) -> String? {
    homes.first { $0.keys[key] != nil }?.home
  }

  private static let homes: [(keys: KeyRows, home: String)] = [
    (KeyTable.root, "at the top of the file"), (KeyTable.job, "in a job"),
    (KeyTable.scheduler, "under '\(Key.scheduler)'"), (KeyTable.kill, "under '\(JobKey.kill)'"),
    (KeyTable.retry, "under '\(JobKey.retry)'"), (KeyTable.output, "under '\(JobKey.output)'"),
    (KeyTable.limits, "under '\(JobKey.limits)'"),
    (KeyTable.success, "under '\(JobKey.success)'"),
    (KeyTable.failsWhen, "under '\(JobKey.failsWhen)'"), (KeyTable.step, "in a step"),
  ]

  private func reportNull(_ scalar: YAMLScalar, at mark: YAMLMark, key: KeyEntry, owner: KeyOwner) {
    var hint = "write \(key.type.phrase)"
    if case .job = owner.part, key.mayBeNull {
      hint += ", or null to remove the value from '\(Key.defaults)'"
    }
    reporter.report(
      .wrongType, at: mark,
      scalar.isBlank ? "'\(key.name)' has no value" : "'\(key.name)' cannot be \(scalar.text)",
      hint: hint)
  }
}

extension KeyType {
  /// The type of a list's items; nil if no list is allowed.
  fileprivate var itemType: KeyType? {
    switch self {
    case .list(let item), .oneOrMore(let item): item
    case .oneOf(let types): types.lazy.compactMap(\.itemType).first
    default: nil
    }
  }

  fileprivate var isAnything: Bool { if case .anything = self { true } else { false } }

  fileprivate var isMapping: Bool {
    switch self {
    case .object, .map: true
    case .oneOf(let types): types.contains(where: \.isMapping)
    default: false
    }
  }
}

extension YAMLNode {
  /// True for a mapping with a key for an action or a trigger.
  fileprivate var looksLikeJob: Bool {
    guard case .mapping(let entries) = content else { return false }
    return entries.contains { entry in
      [JobKey.run, .use, .steps, .every, .cron, .calendar, .rrule].contains { $0.name == entry.key }
    }
  }

  /// The words for "not a list".
  fileprivate var phrase: String {
    switch content {
    case .scalar, .invalid: "a single value"
    case .sequence: "a list"
    case .mapping: "a mapping"
    }
  }
}
