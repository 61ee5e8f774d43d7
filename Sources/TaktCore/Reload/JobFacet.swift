/// One key of a job as a plan shows it.
public enum JobFacet {
  /// A key that two specs of a job do not agree in.
  public struct Difference: Hashable, Sendable {
    /// The key of the jobs file.
    public var key: String
    /// What was and what will be; nil for what is never shown (commands, environment, parameters)
    /// and for a key that is not there.
    public var from: String?
    /// What will be.
    public var to: String?
  }

  static func differences(from old: JobSpec, to new: JobSpec) -> [Difference] {
    zip(shown(old), shown(new)).compactMap { before, after in
      before.text == after.text
        ? nil : Difference(key: before.key, from: before.text, to: after.text)
    } + hidden(old, new).map { Difference(key: $0, from: nil, to: nil) }
  }

  private static func shown(_ spec: JobSpec) -> [(key: String, text: String?)] {
    let schedule = spec.timing.schedule
    let every = schedule.every
    return [
      ("every", every.map { DurationText.format($0.interval) }),
      ("first", every?.first.map(DurationText.format)),
      ("from", every.flatMap { $0.origin == .end ? "end" : nil }),
      ("align", every.flatMap { $0.origin == .epoch ? "epoch" : nil }),
      ("at", schedule.at.isEmpty ? nil : schedule.at.map { $0.rfc3339() }.joined(separator: ", ")),
      (
        "on",
        schedule.on.isEmpty ? nil : schedule.on.map(\.rawValue).sorted().joined(separator: ", ")
      ),
      ("leeway", text(spec.timing.leeway)),
      ("enabled", String(spec.timing.isEnabled)),
      ("overlap", spec.overlap.rawValue),
      ("qos", spec.execution.qos.rawValue),
      ("cwd", spec.execution.directory),
      ("timeout", spec.execution.timeout.map(DurationText.format)),
      (
        "kill",
        "\(spec.execution.stop.signal.rawValue), \(DurationText.format(spec.execution.stop.grace))"
      ),
      ("description", spec.summary),
    ]
  }

  private static func text(_ leeway: Leeway) -> String {
    switch leeway {
    case .duration(let duration): DurationText.format(duration)
    case .percent(let percent): "\(percent)%"
    }
  }

  private static func hidden(_ old: JobSpec, _ new: JobSpec) -> [String] {
    var keys: [String] = []
    if old.action != new.action {
      switch (old.action, new.action) {
      case (.use(let before, _), .use(let after, _)): keys.append(before == after ? "with" : "use")
      case (.use, .shell), (.use, .argv), (.shell, .use), (.argv, .use): keys += ["run", "use"]
      case (.steps, _), (_, .steps): keys.append("steps")
      case (.shell, _), (.argv, _): keys.append("run")
      }
    }
    if old.execution.shell != new.execution.shell { keys.append("shell") }
    if old.execution.environment != new.execution.environment { keys.append("env") }
    return keys
  }
}
