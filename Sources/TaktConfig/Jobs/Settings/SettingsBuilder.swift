import Glibc
import TaktCore
import TaktTime

/// Makes the scheduler's settings from the keys under `scheduler`.
struct SettingsBuilder {
  let reporter: Reporter
  let sources: LoadSources
  let plugins: PluginTable
  /// Absolute, the base of relative paths.
  let folder: String

  static func builtIn(zones: ZoneTable) -> SchedulerSettings {
    let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    return SchedulerSettings(
      zone: zones.zone(named: "local") ?? .utc,
      maxRunning: SchedulerSettings.maxRunning(forProcessors: processors))
  }

  func apply(_ fields: KeyFields, to settings: inout SchedulerSettings) {
    for field in fields.fields {
      switch (field.name, field.value) {
      case (Key.timezone, .text(let name)):
        if let zone = sources.zones.zone(named: name, at: field.mark, reporter) {
          settings.zone = zone
        }
      case (Key.maxRunning, .integer(let count)): settings.maxRunning = count
      case (Key.state, .text(let path)):
        settings.state =
          path == Key.none
          ? StateFolder.none : .folder(FilePath.absolute(FilePath.join(folder, path)))
      case (Key.history, .object(let fields)): apply(fields, to: &settings.history)
      case (Key.metrics, .object(let fields)):
        settings.metrics.jobs = fields[Key.jobs]?.value?.integer ?? MetricsSettings.defaultJobs
        settings.metrics.hasCounters = fields[Key.counters]?.value?.boolean ?? false
        settings.metrics.hasHistograms = fields[Key.histograms]?.value?.boolean ?? false
      case (Key.http, .object(let fields)): settings.http = http(fields, at: field.mark)
      case (Key.cluster, .object(let fields)): settings.cluster = cluster(fields, at: field.mark)
      // A wrong one is not used; but the jobs are still checked as those of a cluster.
      case (Key.cluster, nil): settings.cluster = ClusterSettings(engine: .postgres(url: ""))
      case (Key.containers, .object(let fields)): settings.containers = containers(fields)
      case (Key.shutdownGrace, .duration(let grace)): settings.shutdownGrace = grace
      case (Key.plugins, .list(let items)):
        plugins.folders = items.compactMap(\.value.text)
          .map { FilePath.absolute(FilePath.join(folder, $0)) }
      case (Key.concurrency, .map(let groups)):
        for group in groups { apply(group, to: &settings) }
      default: break
      }
    }
    settings.addLabelGroup()
    checkGroups(fields, settings)
    if settings.state == StateFolder.none, let http = settings.http, http.tokenFile == nil,
      let field = fields.fields.first(where: { $0.name == Key.http })
    {
      reporter.report(
        .missingKey, at: field.mark,
        "'\(Key.http)' needs '\(Key.tokenFile)' if there is no state folder",
        hint: "add '\(Key.tokenFile): PATH'")
    }
    checkTokens(of: settings, in: fields)
    if settings.http == nil, settings.cluster?.api != nil,
      let api = fields[Key.cluster]?.value?.object?[Key.api],
      !fields.fields.contains(where: { $0.name == Key.http })
    {
      reporter.report(
        .missingKey, at: api.mark, "'\(Key.api)' needs '\(Key.http)' under '\(Key.scheduler)'",
        hint: "add 'http: {listen: 8080}'")
    }
  }

  private func apply(_ group: KeyValue.MapField, to settings: inout SchedulerSettings) {
    guard let fields = group.value?.object else {
      settings.concurrency[group.name] = group.value?.integer
      return
    }
    // Jobs may still name a group with a mistake.
    settings.concurrency[group.name] = fields[Key.maximum]?.value?.integer ?? 1
    if fields[Key.whenFull]?.value?.text == "skip" { settings.skippingGroups.insert(group.name) }
    if fields[Key.maximum] == nil, !fields.hasUnknownKeys {
      reporter.report(
        .missingKey, at: group.mark, "the group '\(group.name)' has no '\(Key.maximum)'",
        hint: "add '\(Key.maximum): 1'", owner: KeyOwner(part: .scheduler, key: Key.concurrency))
    }
  }

  /// The engine of a cluster can only let slots of a group wait.
  private func checkGroups(_ fields: KeyFields, _ settings: SchedulerSettings) {
    guard settings.cluster != nil, !settings.skippingGroups.isEmpty,
      let field = fields[Key.concurrency]
    else { return }
    let group = field.value?.map?.first { settings.skippingGroups.contains($0.name) }
    reporter.report(
      .conflictingKeys, at: group?.mark ?? field.mark,
      "'\(Key.whenFull): skip' cannot be combined with '\(Key.cluster)'",
      hint: "remove '\(Key.whenFull)'", owner: KeyOwner(part: .scheduler, key: Key.concurrency))
  }

  private func http(_ fields: KeyFields, at mark: YAMLMark) -> HTTPSettings? {
    var settings: HTTPSettings?
    var tokenFile: String?
    var readTokenFile: String?
    var operateTokenFile: String?
    var proxy: ProxyLogin?
    var names: [String] = []
    var publicURL: String?
    for field in fields.fields {
      switch (field.name, field.value) {
      case (Key.listen, .text(let text)):
        if let (host, port) = HTTPSettings.parse(text) {
          settings = HTTPSettings(host: host, port: port)
        } else {
          reporter.report(
            .badValue, at: field.mark,
            "'\(text.shortened)' is not a port or an address with a port",
            hint: "write 8080 or 127.0.0.1:8080")
        }
        if settings?.isLoopback == false {
          reporter.report(
            .suspicious, severity: .warning, at: field.mark,
            "other machines can reach takt at '\(text.shortened)' without encryption",
            hint: "listen on 127.0.0.1, behind a TLS proxy")
        }
      case (Key.tokenFile, .text(let path)):
        tokenFile = FilePath.absolute(FilePath.join(folder, path))
      case (Key.readTokenFile, .text(let path)):
        readTokenFile = FilePath.absolute(FilePath.join(folder, path))
      case (Key.operateTokenFile, .text(let path)):
        operateTokenFile = FilePath.absolute(FilePath.join(folder, path))
      case (Key.proxy, .object(let fields)): proxy = self.proxy(fields, at: field.keyMark)
      case (Key.publicURL, .text(let text)): publicURL = self.publicURL(text, at: field.mark)
      case (Key.names, .list(let items)): names = items.compactMap(\.value.text)
      default: break
      }
    }
    if !fields.fields.contains(where: { $0.name == Key.listen }) {
      reporter.report(
        .missingKey, at: mark, "'\(Key.http)' needs '\(Key.listen)'", hint: "add 'listen: 8080'")
    }
    settings?.tokenFile = tokenFile
    settings?.readTokenFile = readTokenFile
    settings?.operateTokenFile = operateTokenFile
    settings?.proxy = proxy
    settings?.names = names
    settings?.publicURL = publicURL
    return settings
  }

  /// The page's address without a slash at its end; nil for a wrong one, which is reported.
  private func publicURL(_ text: String, at mark: YAMLMark) -> String? {
    let rest = ["http://", "https://"].first { text.hasPrefix($0) }.map { text.dropFirst($0.count) }
    let isPlain = text.utf8.allSatisfy {
      (0x21...0x7e).contains($0) && !"\"<>#?@".utf8.contains($0)
    }
    guard let rest, isPlain, let first = rest.first, first != "/" else {
      reporter.report(
        .badValue, at: mark,
        "'\(Key.publicURL)' is not an http or https URL without a user, '?' and '#'",
        hint: "write https://jobs.example.org")
      return nil
    }
    guard reporter.hasPossiblePort(text, at: mark) else { return nil }
    let url = text.last == "/" ? String(text.dropLast()) : text
    if HTTPSettings.publicPath(of: url) == nil {
      reporter.report(
        .suspicious, severity: .warning, at: mark,
        "takt does not answer below the path of '\(Key.publicURL)'",
        hint: "let the proxy remove the path, or use one of letters, digits, '-', '.' and '_' that "
          + "does not start with \(HTTPSettings.ownNames.sorted().joined(separator: ", "))")
    }
    return url
  }

  private func apply(_ fields: KeyFields, to history: inout History) {
    for field in fields.fields {
      switch (field.name, field.value) {
      case (Key.keep, .duration(let keep)): history.keep = keep
      case (Key.maxRuns, .integer(let count)): history.runsMax = count
      case (Key.output, .duration(let output)): history.output = output
      case (Key.maxSize, .integer(let size)): history.sizeBytesMax = size
      default: break
      }
    }
    guard let field = fields[Key.output], let output = field.value?.duration,
      output > history.keep
    else { return }
    reporter.report(
      .suspicious, severity: .warning, at: field.mark,
      "the '\(Key.output)' of \(DurationText.format(output)) is longer than the '\(Key.keep)' of "
        + "\(DurationText.format(history.keep))",
      hint: "the output of a run goes with the run: write a shorter '\(Key.output)', or a longer "
        + "'\(Key.keep)'", owner: KeyOwner(KeyOwner(part: .scheduler), Key.history))
  }
}
