import TaktCore
import TaktTime

extension KeyTable {
  static let surroundings: [KeyEntry] = [
    KeyEntry(
      .shell, .oneOf([.list(.text(allowsEmpty: true)), .path]), default: "`/bin/sh`",
      "The shell for a `run` that is a text: a program, called with `-c`, or a list of a program and "
        + "its arguments.",
      .set { field, value, builder, settled in
        settled.execution.shell = builder.shell(value, of: field.name)
      }),
    KeyEntry(
      .direct, .boolean, default: "`true`",
      "Whether a `run` that is a text starts without a shell where `/bin/sh` would only split it "
        + "into words. Another `shell` is always used.",
      .value(\.execution.isDirect) { $0.boolean }),
    KeyEntry(
      .inheritance, .oneOf([.list(.variable), .boolean]),
      default: "`true`; with another user as `user`, `[LANG]`", isOfProcesses: true,
      "Which variables of takt's environment the command gets: all of them, none but a standard "
        + "`PATH` (`false`), or the listed ones and a standard `PATH`.",
      .value(\.execution.inheritance) { $0.inheritance }),
    KeyEntry(
      .environmentFile, .oneOrMore(.path), isOfProcesses: true,
      "Files with lines `NAME=value`, read together with the jobs file. Later files win.",
      .set { _, value, builder, settled in builder.readFiles(value, to: &settled) }),
    KeyEntry(
      .environment, .map(.environment, .text(allowsEmpty: true)), isOfProcesses: true,
      "Variables, in addition to inherited ones and `env_file`. Values are not expanded.",
      .set { _, value, builder, settled in builder.setVariables(value, of: &settled) }),
    KeyEntry(
      .secrets, .map(.environment, .object(secret)),
      "Secret values for the command, by the names of its variables. takt masks them in the output.",
      .set { _, value, builder, settled in
        settled.execution.secrets = builder.secrets(value)
      }),
    KeyEntry(
      .directory, .path, default: "the folder of the file", isOfProcesses: true,
      "The command's working directory.",
      .set { _, value, builder, settled in
        settled.execution.directory = value.text.map(builder.path) ?? builder.folder
      }),
    KeyEntry(
      .user, .text(allowsEmpty: false), default: "takt's own", isOfProcesses: true,
      "The user to run the command as, by name or number, with the user's groups, HOME, LOGNAME, "
        + "USER and SHELL.",
      .set { field, value, builder, settled in
        settled.execution.identity.user = value.text
        value.text.map {
          builder.sources.accounts.checkUser($0, at: field.mark, reporter: builder.reporter)
        }
      }),
    KeyEntry(
      .group, .text(allowsEmpty: false), default: "the user's own", isOfProcesses: true,
      "The group to run the command as, by name or number.",
      .set { field, value, builder, settled in
        settled.execution.identity.group = value.text
        value.text.map {
          builder.sources.accounts.checkGroup($0, at: field.mark, reporter: builder.reporter)
        }
      }),
    KeyEntry(
      .umask, .umask, default: "takt's own", isOfProcesses: true,
      "The permissions to remove from files that the command creates.",
      .value(\.execution.umask) { $0.integer.map { UInt16($0) } }),
    KeyEntry(
      .nice, .integer(-20...19), default: "by `qos`", isOfProcesses: true,
      "The command's nice value: less is more processor time. A value below takt's own needs root or "
        + "`CAP_SYS_NICE`; without it the run does not start.",
      .value(\.execution.nice) { $0.integer.map { Int8($0) } }),
    KeyEntry(
      .inputOutput, .inputOutputPriority, default: "by `qos`", isOfProcesses: true,
      "The command's I/O priority: `idle`, `best-effort` or `realtime`, the last two with a level from "
        + "0 (first) to 7, such as `best-effort:6`; 4 by default. `realtime` needs root.",
      .set { field, value, builder, settled in
        settled.execution.inputOutput = value.text.flatMap { text in
          let priority = InputOutputPriority(text)
          if priority == nil {
            builder.reporter.report(
              .badValue, at: field.mark, "'\(text.shortened)' is no I/O priority",
              hint: "write idle, best-effort or best-effort:0 to best-effort:7, or realtime:0 to "
                + "realtime:7", owner: builder.owner)
          }
          return priority
        }
      }),
    KeyEntry(
      .stdin, .text(allowsEmpty: true), default: "nothing", isOfProcesses: true,
      "The command's standard input.", .value(\.execution.stdin) { $0.text }),
    KeyEntry(
      .limits, .object(limits), isOfProcesses: true, "Resource limits of the command.", .merge),
  ]

  /// The keys of a secret. Secrets replace those of `defaults` as a whole, so that null has no
  /// meaning in one.
  package static let secret: KeyRows = [
    KeyEntry(
      Key.file, .path,
      "The file with the value, read when an attempt starts. A line break at its end is ignored."),
    KeyEntry(
      Key.environment, .variable,
      "The variable of takt's environment with the value, instead of `file`."),
    KeyEntry(
      Key.handover, .choice(Secret.Delivery.allCases.map(\.rawValue)), default: "`env`",
      "What the command's variable contains: the value (`env`), or the path of a file with the value "
        + "(`file`)."),
  ]

  package static let limits: KeyRows = [
    KeyEntry(
      "memory", .size(1...SizeText.maximumBytes), default: "takt's own",
      "Maximum address space, of which programs in Go, Java or JavaScript reserve much more than they "
        + "use; `memory_max` limits the memory in use.",
      .value(\.execution.limits.memoryBytes) { $0.integer }),
    KeyEntry(
      "cpu", .wholeSeconds, default: "takt's own",
      "Maximum CPU time of each process. Beyond it the kernel kills the process (`signal(9)`).",
      .value(\.execution.limits.cpuSeconds) {
        $0.duration.map { Int($0.milliseconds / 1000) }
      }),
    KeyEntry(
      "files", .integer(1...1_048_576), default: "takt's own",
      "Maximum number of open file descriptors.",
      .value(\.execution.limits.files) { $0.integer }),
    KeyEntry(
      "processes", .integer(1...4_194_304), default: "takt's own",
      "Maximum number of processes and threads of the command's user.",
      .value(\.execution.limits.processes) { $0.integer }),
    KeyEntry(
      "core", .size(0...SizeText.maximumBytes), default: "takt's own",
      "Maximum size of a core dump; `0B` for none.",
      .value(\.execution.limits.coreBytes) { $0.integer }),
    KeyEntry(
      "file_size", .size(0...SizeText.maximumBytes), default: "takt's own",
      "Maximum size of a file that it writes.",
      .value(\.execution.limits.fileSizeBytes) { $0.integer }),
    KeyEntry(
      "memory_max", .size(GroupLimits.memoryBytesMin...SizeText.maximumBytes), default: "none",
      "Maximum memory of all processes of an attempt together, page cache included, without swap. "
        + "Beyond it the kernel ends them, and the run fails with `oom`.",
      .value(\.execution.limits.group.memoryMaxBytes) { $0.integer }),
    KeyEntry(
      "cpu_quota", .quota, default: "none",
      "Maximum CPU time of all processes of an attempt together, in percent of one processor, such as "
        + "`50%` or `250%`.",
      .set { field, value, builder, settled in
        settled.execution.limits.group.cpuQuotaPercent = value.text.flatMap { text in
          let percent = GroupLimits.percent(text)
          if percent == nil {
            builder.reporter.report(
              .badNumber, at: field.mark, "'\(text.shortened)' is no CPU quota",
              hint: "write a percentage of one processor, such as 50%",
              owner: KeyOwner(builder.owner, .limits))
          }
          return percent
        }
      }),
    KeyEntry(
      "tasks_max", .integer(1...4_194_304), default: "none",
      "Maximum number of processes and threads of an attempt.",
      .value(\.execution.limits.group.tasksMax) { $0.integer }),
    KeyEntry(
      "io_weight", .integer(1...10_000), default: "100",
      "The attempt's share of the disk, compared with other control groups.",
      .value(\.execution.limits.group.ioWeight) { $0.integer }),
    KeyEntry(
      "enforce", .choice(["always", Key.ifPossible]), default: "`always`",
      "What happens where takt cannot use control groups for these four: the file is refused, or the "
        + "job runs without them (`if_possible`).",
      .value(\.execution.limits.group.isOptional) { $0.text == Key.ifPossible }),
  ]
}

extension KeyValue {
  fileprivate var inheritance: EnvironmentInheritance? {
    boolean.map { $0 ? .all : .none } ?? list.map { _ in .only(Set(texts).sorted()) }
  }
}

extension ExecutionBuilder {
  fileprivate func shell(_ value: KeyValue, of key: String) -> [String] {
    switch value {
    case .text(let program): [program, "-c"]
    case .list(let items): reporter.arguments(items, of: key) ?? []
    default: builtIn.execution.shell
    }
  }

  fileprivate func readFiles(_ value: KeyValue, to settled: inout JobDefaults) {
    settled.fileVariables = fileVariables(value)
    settled.environmentFiles = value.texts.map(path).compactMap { path in
      sources.environmentFiles.owner(of: path).map { (path, $0) }
    }
  }

  private func fileVariables(_ value: KeyValue) -> [String: String] {
    var variables: [String: String] = [:]
    for item in value.list ?? [] {
      guard let text = item.value.text else { continue }
      let shown = FilePath.join(FilePath.folder(of: reporter.source.file), text)
      let found = sources.environmentFiles.variables(
        of: path(text), shown: shown, at: item.mark, reporter: reporter)
      variables.merge(found) { _, later in later }
    }
    return variables
  }

  fileprivate func setVariables(_ value: KeyValue, of settled: inout JobDefaults) {
    guard let fields = value.map else {
      settled.execution.environment = builtIn.execution.environment
      return
    }
    var environment = settled.execution.environment
    for field in fields {
      switch field.value {
      case .text(let text): environment[field.name] = text
      case .null:
        let given = environment.removeValue(forKey: field.name)
        let read = settled.fileVariables.removeValue(forKey: field.name)
        if given != nil || read != nil { continue }
        reporter.report(
          .badValue, at: field.mark,
          "null removes '\(field.name)', but neither '\(Key.defaults)' nor "
            + "'\(JobKey.environmentFile)' sets it",
          hint: "write \"\" for an empty value")
      default: break
      }
    }
    settled.execution.environment = environment
  }

  fileprivate func secrets(_ value: KeyValue) -> [String: Secret] {
    var secrets: [String: Secret] = [:]
    for field in value.map ?? [] {
      if field.value?.isNull == true {
        reporter.report(
          .wrongType, at: field.mark, "the secret '\(field.name)' cannot be null",
          hint: "omit it: '\(JobKey.secrets)' replaces the secrets of '\(Key.defaults)'")
      }
      guard let fields = field.value?.object else { continue }
      secrets[field.name] = secret(fields, named: field.name, at: field.nameMark)
    }
    return secrets
  }

  private func secret(_ fields: KeyFields, named name: String, at mark: YAMLMark) -> Secret? {
    let (file, variable) = (fields[Key.file], fields[Key.environment])
    let owner = KeyOwner(owner, .secrets)
    if let file, let variable {
      reporter.reportConflict([file, variable], owner: owner)
      return nil
    }
    if file == nil, variable == nil, !fields.hasUnknownKeys {
      reporter.report(
        .missingKey, at: mark, "the secret '\(name)' has no source",
        hint: "add '\(Key.file)' or '\(Key.environment)'", owner: owner)
    }
    let source =
      file?.value?.text.map { Secret.Source.file(path($0)) }
      ?? variable?.value?.text.map { .environment($0) }
    let delivery: Secret.Delivery? = fields[Key.handover]?.value?.choice()
    return source.map { Secret($0, delivery: delivery ?? .environment) }
  }
}
