import FormerCore
import TaktCore

extension TaktCore.Snapshot: HasFormer {
  var former: FormerCore.Snapshot {
    FormerCore.Snapshot(settings: settings.former, jobs: jobs.former)
  }
}

extension TaktCore.SchedulerSettings: HasFormer {
  var former: FormerCore.SchedulerSettings {
    var former = FormerCore.SchedulerSettings(
      zone: zone, maxRunning: maxRunning, shutdownGrace: shutdownGrace)
    former.concurrency = concurrency
    former.state = state.map { state in
      switch state {
      case .folder(let path): .folder(path)
      case .none: .none
      }
    }
    former.history.keep = history.keep
    former.history.runsMax = history.runsMax
    former.history.output = history.output
    former.history.sizeBytesMax = history.sizeBytesMax
    return former
  }
}

extension TaktCore.JobSpec: HasFormer {
  var former: FormerCore.JobSpec {
    var former = FormerCore.JobSpec(
      name: name.former, timing: timing.former, action: action.former,
      execution: execution.former, overlap: overlap.former, summary: summary)
    former.concurrencyGroup = concurrencyGroup
    former.hooks = formerHooks
    former.lateTolerance = lateTolerance
    former.expectedDuration = expectedDuration
    former.delivery = delivery.former
    former.missed.choice = missed.choice.former
    former.missed.within = missed.within
    former.missed.countMax = missed.countMax
    former.removal = removal.former
    former.tags = tags
    return former
  }

  private var formerHooks: FormerCore.Hooks {
    var former: FormerCore.Hooks = [:]
    for (kind, steps) in hooks { former[kind.former] = steps.former }
    return former
  }
}

extension TaktCore.Step: HasFormer {
  var former: FormerCore.Step { FormerCore.Step(action.former, continues: continues) }
}

extension TaktCore.Action: HasFormer {
  var former: FormerCore.Action {
    switch self {
    case .shell(let text): .shell(text)
    case .argv(let words): .argv(words)
    case .use(let name, let parameters): .use(name, parameters.mapValues(\.former))
    case .plugin(let manifest, let parameters):
      .plugin(manifest.former, parameters.mapValues(\.former))
    case .steps(let steps): .steps(steps.former)
    }
  }
}

extension TaktCore.ParameterValue: HasFormer {
  var former: FormerCore.ParameterValue {
    switch self {
    case .string(let text): .string(text)
    case .integer(let number): .integer(number)
    case .number(let number): .number(number)
    case .boolean(let value): .boolean(value)
    case .duration(let duration): .duration(duration)
    case .list(let items): .list(items.former)
    case .map(let map): .map(map.mapValues(\.former))
    }
  }
}

extension TaktCore.PluginManifest: HasFormer {
  /// Without its parameters: the cores never read them.
  var former: FormerCore.PluginManifest {
    precondition(parameters.isEmpty)
    var former = FormerCore.PluginManifest(
      name: name, version: version, command: command, folder: folder)
    former.summary = summary
    former.kind = kind.former
    former.mode = mode.former
    former.timeout = timeout
    former.isNagios = isNagios
    former.idleStop = idleStop
    former.pingInterval = pingInterval
    former.runsMax = runsMax
    former.sha256 = sha256
    return former
  }
}

extension TaktCore.Execution: HasFormer {
  var former: FormerCore.Execution {
    var former = FormerCore.Execution(
      shell: shell, environment: environment, directory: directory, timeout: timeout,
      stop: FormerCore.StopPolicy(
        signal: stop.signal.former, grace: stop.grace, leftovers: stop.leftovers.former),
      qos: qos.former, output: output.former, success: success.former, retry: retry.former)
    former.inheritance = inheritance.former
    former.secrets = secrets.mapValues(\.former)
    former.identity = FormerCore.RunIdentity(user: identity.user, group: identity.group)
    former.umask = umask
    former.stdin = stdin
    former.limits = limits.former
    return former
  }
}

extension TaktCore.EnvironmentInheritance: HasFormer {
  var former: FormerCore.EnvironmentInheritance {
    switch self {
    case .byUser: .byUser
    case .all: .all
    case .none: .none
    case .only(let names): .only(names)
    }
  }
}

extension TaktCore.Secret: HasFormer {
  var former: FormerCore.Secret {
    switch source {
    case .file(let path): FormerCore.Secret(.file(path), delivery: delivery.former)
    case .environment(let name): FormerCore.Secret(.environment(name), delivery: delivery.former)
    }
  }
}

extension TaktCore.Limits: HasFormer {
  var former: FormerCore.Limits {
    var former = FormerCore.Limits()
    former.memoryBytes = memoryBytes
    former.cpuSeconds = cpuSeconds
    former.files = files
    former.processes = processes
    former.coreBytes = coreBytes
    former.fileSizeBytes = fileSizeBytes
    return former
  }
}

extension TaktCore.OutputPolicy: HasFormer {
  var former: FormerCore.OutputPolicy {
    FormerCore.OutputPolicy(
      keepBytes: keepBytes, logging: logging.former,
      rate: rate.map { FormerCore.LineRate($0.lines, per: $0.period) },
      file: file.map {
        FormerCore.OutputFile(path: $0.path, sizeBytesMax: $0.sizeBytesMax, files: $0.files)
      })
  }
}

extension TaktCore.SuccessRule: HasFormer {
  var former: FormerCore.SuccessRule {
    FormerCore.SuccessRule(
      exitStatuses: exitStatuses, failsOnStandardError: failsOnStandardError,
      failurePattern: failurePattern, failsWhenSilent: failsWhenSilent)
  }
}

extension TaktCore.RetryPolicy: HasFormer {
  var former: FormerCore.RetryPolicy {
    FormerCore.RetryPolicy(
      attempts: attempts, delay: delay, factor: factor, delayMax: delayMax,
      jitterPercent: jitterPercent, causes: Set(causes.map(\.former)), end: end.former)
  }
}
