import TaktCore

/// Applies the keys that may stand in a job and in `defaults` alike.
struct ExecutionBuilder {
  let reporter: Reporter
  /// What `null` goes back to.
  let builtIn: JobDefaults

  /// Puts what `fields` say over `settled`.
  func apply(_ fields: KeyFields, to settled: inout JobDefaults) {
    for field in fields.fields {
      guard let value = field.value else { continue }
      switch field.name {
      case Key.leeway: settled.leeway = leeway(value)
      case Key.qos: settled.execution.qos = choice(value) ?? builtIn.execution.qos
      case Key.overlap: settled.overlap = choice(value) ?? builtIn.overlap
      case Key.enabled: settled.isEnabled = boolean(value) ?? builtIn.isEnabled
      case Key.timeout: settled.execution.timeout = value.duration
      case Key.shell: settled.execution.shell = shell(value, of: field.name)
      case Key.directory: settled.execution.directory = directory(value)
      case Key.environment: apply(value, to: &settled.execution.environment)
      case Key.kill: apply(value, to: &settled.execution.stop)
      default: break
      }
    }
  }

  private func leeway(_ value: KeyValue) -> Leeway {
    switch value {
    case .percent(let percent): .percent(percent)
    case .duration(let duration): .duration(duration)
    default: builtIn.leeway
    }
  }

  private func choice<Choice: RawRepresentable<String>>(_ value: KeyValue) -> Choice? {
    value.text.flatMap(Choice.init)
  }

  private func boolean(_ value: KeyValue) -> Bool? {
    if case .boolean(let value) = value { value } else { nil }
  }

  private func shell(_ value: KeyValue, of key: String) -> [String] {
    switch value {
    case .text(let program): [program, "-c"]
    case .list(let items): reporter.arguments(items, of: key) ?? []
    default: builtIn.execution.shell
    }
  }

  private func directory(_ value: KeyValue) -> String {
    let folder = builtIn.execution.directory
    return value.text.map { FilePath.absolute(FilePath.join(folder, $0)) } ?? folder
  }

  private func apply(_ value: KeyValue, to environment: inout [String: String]) {
    guard let fields = value.map else {
      environment = builtIn.execution.environment
      return
    }
    for field in fields {
      switch field.value {
      case .text(let text): environment[field.name] = text
      case .null where environment.removeValue(forKey: field.name) == nil:
        reporter.report(
          .badValue, at: field.mark,
          "null takes '\(field.name)' away, but '\(Key.defaults)' does not give it",
          hint: "write \"\" for an empty value")
      default: break
      }
    }
  }

  private func apply(_ value: KeyValue, to stop: inout StopPolicy) {
    guard let fields = value.object else {
      stop = builtIn.execution.stop
      return
    }
    for field in fields.fields {
      guard let value = field.value else { continue }
      switch field.name {
      case Key.signal: stop.signal = choice(value) ?? builtIn.execution.stop.signal
      case Key.grace: stop.grace = value.duration ?? builtIn.execution.stop.grace
      default: break
      }
    }
  }
}

extension Reporter {
  /// A program and its arguments; nil when the program's name is empty, which is then reported.
  func arguments(_ items: [KeyValue.Located], of key: String) -> [String]? {
    let texts = items.compactMap(\.value.text)
    if let program = texts.first, !program.isEmpty { return texts }
    report(
      .badValue, at: items.first?.mark ?? .wholeFile, "the first item of '\(key)' is empty",
      hint: "name a program")
    return nil
  }
}
