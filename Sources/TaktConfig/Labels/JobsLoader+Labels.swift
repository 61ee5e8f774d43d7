package import TaktCore

extension JobsLoader {
  /// The jobs that the labels of a container declare, each read as a jobs file of its own, so that
  /// a wrong one harms no other. `defaults` of the main file do not apply to them.
  ///
  /// - Parameters:
  ///   - path: the main file's.
  ///   - settings: the main file's.
  package func load(
    labelsOf container: LabelledContainer, path: String, within settings: SchedulerSettings
  ) -> LabelledJobs {
    var result = LabelledJobs()
    guard let containers = settings.containers, containers.readsLabels else { return result }
    let reader = LabelReader(container)
    result.diagnostics = reader.flaws
    for job in reader.jobs.sorted(by: { $0.name < $1.name }) {
      guard let name = JobName("\(container.name).\(job.name)") else {
        result.diagnostics.append(
          reader.diagnostic(
            .badName, nil,
            "'\(container.name).\(job.name)' is not a valid job name\(LabelReader.ending)",
            hint: "give the container a shorter name"))
        continue
      }
      let file = job.file(in: container, socket: containers.socket, named: name)
      let loaded = load(path: path, text: file.text, within: settings)
      let spec = loaded.snapshot?.jobs.first
      result.diagnostics += loaded.diagnostics.compactMap { problem in
        // A warning without a line is about the main file, and reported there.
        guard problem.severity == .error || problem.location.line > 0 else { return nil }
        let line = problem.location.line
        let label = file.labels.indices.contains(line - 1) ? file.labels[line - 1] : nil
        let ending = problem.severity == .error ? LabelReader.ending : ""
        return reader.diagnostic(
          problem.code, label ?? "\(LabelReader.prefix)\(job.name)", problem.message + ending,
          hint: problem.hint)
      }
      guard let spec else { continue }
      let excesses = LabelBounds.excesses(of: spec)
      result.diagnostics += excesses.map { path, message in
        reader.diagnostic(
          .outOfRange, job.label(of: path) ?? "\(LabelReader.prefix)\(job.name)",
          message + LabelReader.ending)
      }
      if !spec.isConfined(to: container.id) {
        result.diagnostics.append(
          reader.diagnostic(
            .notPermitted, "\(LabelReader.prefix)\(job.name)",
            "the job would do more than run in its container, and is left out"))
      } else if excesses.isEmpty {
        result.jobs.append(spec)
      }
    }
    bound(&result.diagnostics, of: container)
    return result
  }

  /// Bounds the diagnostics, so that nobody can fill the log with wrong labels.
  private func bound(_ diagnostics: inout [Diagnostic], of container: LabelledContainer) {
    let rest = diagnostics.count - LabelReader.flawsMax
    guard rest > 0 else { return }
    diagnostics.removeLast(rest)
    diagnostics.append(
      LabelReader.diagnostic(
        .moreProblems, container, nil, "its labels have \(rest) more problem\(rest == 1 ? "" : "s")"
      ))
  }
}

extension JobSpec {
  /// True if the job only starts one process in the container of this id, without any process,
  /// file, user or secret of this machine, and without another action.
  ///
  /// The table of keys limits labels to this. It is proved again for each job, independent of the
  /// table and the loader.
  func isConfined(to id: String) -> Bool {
    guard case .use(LabelJob.action, let parameters) = action,
      parameters[LabelJob.target] == .string(id)
    else { return false }
    // The last four have defaults, which have no effect without a new container.
    let own: Set = [
      LabelJob.target, LabelJob.socket, LabelJob.command, LabelJob.environment, LabelKey.user,
      "workdir", "pull", "read_only", "init", "remove",
    ]
    return Set(parameters.keys).isSubset(of: own)
      && Placeholders.secrets(in: .map(parameters)).isEmpty
      && hooks.isEmpty && pings.isEmpty && policies.onlyIf == nil && policies.params.isEmpty
      && execution.secrets.isEmpty && execution.environment.isEmpty
      && execution.identity == UserAndGroup() && execution.output.file == nil
      && concurrencyGroup == ContainerAccess.group
  }
}
