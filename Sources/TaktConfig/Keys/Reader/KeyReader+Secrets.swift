import TaktCore

/// A secret is the name of a source. If somebody writes the secret itself, it must not appear in
/// the diagnostics, which a daemon also logs.
extension KeyReader {
  /// The value of a key that may hold a secret. Its lines are not shown, wherever in the file it
  /// is.
  func hidden(_ node: YAMLNode, of key: KeyEntry, owner: KeyOwner) -> KeyValue? {
    let errorCount = reporter.errorCount
    let value =
      key.key == JobKey.secrets
      ? secrets(node, of: key, owner: owner)
      : key.type == .object(KeyTable.password)
        ? password(node, of: key, owner: owner)
        : value(node, as: key.type, of: key.name, owner: owner)
    if reporter.errorCount > errorCount { hideLines(of: node) }
    return value
  }

  private func secrets(_ node: YAMLNode, of key: KeyEntry, owner: KeyOwner) -> KeyValue? {
    guard case .mapping(let entries) = node.content else {
      if node.content != .invalid { reportNoMapping("'\(key.name)'", at: node.mark) }
      return nil
    }
    let literals = entries.filter(\.isLiteral)
    for entry in literals {
      let isName = entry.key.isVariableName
      reportNoMapping(
        isName ? "the secret '\(entry.key.shortened)'" : "a secret", at: entry.value.mark)
    }
    guard literals.isEmpty else { return nil }
    return reporter.concealing(.secrets) {
      value(node, as: key.type, of: key.name, owner: owner)
    }
  }

  private func password(_ node: YAMLNode, of key: KeyEntry, owner: KeyOwner) -> KeyValue? {
    guard case .mapping = node.content else {
      if node.content != .invalid {
        reporter.report(
          .wrongType, at: node.mark, "'\(key.name)' must name its source, not contain it",
          hint: "write \(key.name): {file: PATH} or \(key.name): {env: VARIABLE}")
      }
      return nil
    }
    return reporter.concealing(.parameter(key.name)) {
      value(node, as: key.type, of: key.name, owner: owner)
    }
  }

  private func reportNoMapping(_ subject: String, at mark: YAMLMark) {
    reporter.report(
      .wrongType, at: mark, "\(subject) must name its source, not contain it",
      hint: "write NAME: {file: PATH} or NAME: {env: VARIABLE}")
  }

  func hideLines(of node: YAMLNode) {
    reporter.hideLine(of: node.mark)
    switch node.content {
    case .mapping(let entries):
      for entry in entries {
        reporter.hideLine(of: entry.keyMark)
        hideLines(of: entry.value)
      }
    case .sequence(let items): items.forEach(hideLines)
    case .scalar, .invalid: break
    }
  }
}

extension YAMLEntry {
  /// True if it may be a secret itself. Null is reported like that of any other key.
  fileprivate var isLiteral: Bool {
    switch value.content {
    case .scalar(let scalar): !scalar.isNull
    case .sequence: true
    case .mapping, .invalid: false
    }
  }
}
