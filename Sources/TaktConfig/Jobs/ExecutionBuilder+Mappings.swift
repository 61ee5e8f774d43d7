import TaktCore
import TaktTime

/// Keys whose value is a mapping: those of `defaults` and of a job merge by one level, except
/// where a mapping is one thing.
extension ExecutionBuilder {
  func apply(_ value: KeyValue, to settled: inout JobDefaults) {
    guard let fields = value.map else {
      settled.execution.environment = builtIn.execution.environment
      return
    }
    for field in fields {
      switch field.value {
      case .text(let text): settled.execution.environment[field.name] = text
      case .null:
        let given = settled.execution.environment.removeValue(forKey: field.name)
        let read = settled.fileVariables.removeValue(forKey: field.name)
        if given != nil || read != nil { continue }
        reporter.report(
          .badValue, at: field.mark,
          "null takes '\(field.name)' away, but neither '\(Key.defaults)' nor "
            + "'\(Key.environmentFile)' gives it",
          hint: "write \"\" for an empty value")
      default: break
      }
    }
  }

  func apply(_ value: KeyValue, to stop: inout StopPolicy) {
    let builtIn = builtIn.execution.stop
    guard let fields = value.object else {
      stop = builtIn
      return
    }
    for field in fields.fields {
      guard let value = field.value else { continue }
      switch field.name {
      case Key.signal: stop.signal = choice(value) ?? builtIn.signal
      case Key.grace: stop.grace = value.duration ?? builtIn.grace
      case Key.leftovers: stop.leftovers = choice(value) ?? builtIn.leftovers
      default: break
      }
    }
  }

  func apply(_ value: KeyValue, to limits: inout Limits) {
    guard let fields = value.object else {
      limits = builtIn.execution.limits
      return
    }
    for field in fields.fields {
      guard let value = field.value else { continue }
      switch field.name {
      case Key.memory: limits.memoryBytes = value.integer
      case Key.cpu: limits.cpuSeconds = value.duration.map { Int($0.milliseconds / 1000) }
      case Key.files: limits.files = value.integer
      case Key.processes: limits.processes = value.integer
      case Key.core: limits.coreBytes = value.integer
      case Key.fileSize: limits.fileSizeBytes = value.integer
      default: break
      }
    }
  }

  func applyClockChanges(_ value: KeyValue, to settled: inout JobDefaults) {
    guard let fields = value.object else {
      (settled.dstGap, settled.dstOverlap) = (nil, nil)
      return
    }
    for field in fields.fields {
      guard let value = field.value else { continue }
      switch field.name {
      case Key.gap: settled.dstGap = choice(value)
      case Key.overlap: settled.dstOverlap = choice(value)
      default: break
      }
    }
  }

  func apply(_ value: KeyValue, to missed: inout MissedPolicy) {
    guard let fields = value.object else {
      missed = builtIn.missed
      return
    }
    for field in fields.fields {
      guard let value = field.value else { continue }
      switch field.name {
      case Key.policy: missed.choice = choice(value) ?? builtIn.missed.choice
      case Key.within: missed.within = value.duration
      case Key.maximum: missed.countMax = value.integer ?? builtIn.missed.countMax
      default: break
      }
    }
  }

  func apply(_ value: KeyValue, to retry: inout RetryPolicy) {
    let builtIn = builtIn.execution.retry
    guard let fields = value.object else {
      retry = builtIn
      return
    }
    for field in fields.fields {
      guard let value = field.value else { continue }
      switch field.name {
      case Key.attempts: retry.attempts = value.integer ?? builtIn.attempts
      case Key.delay: retry.delay = value.duration ?? builtIn.delay
      case Key.factor: retry.factor = value.number ?? builtIn.factor
      case Key.maximum: retry.delayMax = value.duration ?? builtIn.delayMax
      case Key.jitter: retry.jitterPercent = value.percent ?? builtIn.jitterPercent
      case Key.until: retry.end = choice(value) ?? builtIn.end
      case Key.on:
        retry.causes =
          value.isNull ? builtIn.causes : Set(texts(value).compactMap(RetryPolicy.Cause.init))
      default: break
      }
    }
  }

  func apply(_ value: KeyValue, at mark: YAMLMark, to output: inout OutputPolicy) {
    let builtIn = builtIn.execution.output
    guard let fields = value.object else {
      output = builtIn
      return
    }
    for field in fields.fields {
      guard let value = field.value else { continue }
      switch field.name {
      case Key.keep: output.keepBytes = value.integer ?? builtIn.keepBytes
      case Key.log: output.logging = choice(value) ?? builtIn.logging
      case Key.rate: output.rate = value.rate
      case Key.file: output.file = value.object.flatMap { outputFile($0, at: field.keyMark) }
      default: break
      }
    }
  }

  private func outputFile(_ fields: KeyFields, at mark: YAMLMark) -> OutputFile? {
    guard let path = fields[Key.path] else {
      if !fields.hasUnknownKeys {
        reporter.report(
          .missingKey, at: mark, "'\(Key.file)' needs a '\(Key.path)'", hint: "add it",
          owner: KeyOwner(owner, Key.output))
      }
      return nil
    }
    guard let text = path.value?.text else { return nil }
    var file = OutputFile(path: self.path(text))
    if let size = fields[Key.maximum]?.value?.integer { file.sizeBytesMax = size }
    if let count = fields[Key.files]?.value?.integer { file.files = count }
    return file
  }

  func applyFailures(_ value: KeyValue, to success: inout SuccessRule) {
    let fields = value.object
    success.failsOnStandardError = fields?[Key.stderr]?.value != nil
    success.failurePattern = fields?[Key.stdout]?.value?.text
    success.failsWhenSilent = fields?[Key.empty]?.value?.boolean ?? false
  }

  // MARK: Secrets

  func secrets(_ value: KeyValue) -> [String: Secret] {
    var secrets: [String: Secret] = [:]
    for field in value.map ?? [] {
      if field.value?.isNull == true {
        reporter.report(
          .wrongType, at: field.mark, "the secret '\(field.name)' cannot be null",
          hint: "leave it out: '\(Key.secrets)' replaces what '\(Key.defaults)' gives")
      }
      guard let fields = field.value?.object else { continue }
      secrets[field.name] = secret(fields, named: field.name, at: field.nameMark)
    }
    return secrets
  }

  private func secret(_ fields: KeyFields, named name: String, at mark: YAMLMark) -> Secret? {
    let (file, variable) = (fields[Key.file], fields[Key.environment])
    let owner = KeyOwner(owner, Key.secrets)
    if let file, let variable {
      reporter.reportConflict([file, variable], owner: owner)
      return nil
    }
    if file == nil, variable == nil, !fields.hasUnknownKeys {
      reporter.report(
        .missingKey, at: mark, "the secret '\(name)' comes from nowhere",
        hint: "add '\(Key.file)' or '\(Key.environment)'", owner: owner)
    }
    let source =
      file?.value?.text.map { Secret.Source.file(path($0)) }
      ?? variable?.value?.text.map { .environment($0) }
    let delivery: Secret.Delivery? = fields[Key.handover]?.value.flatMap { choice($0) }
    return source.map { Secret($0, delivery: delivery ?? .environment) }
  }
}
