import Glibc
package import TaktCore
package import TaktSystem

package struct Importer {
  private let context: ImportContext
  private let stores: UnitStores

  package init(_ options: ImportOptions, tree: ImportTree, machine: any AccountSource) {
    context = ImportContext(
      options, tree: tree, accounts: ImportAccounts(of: tree, machine: machine))
    stores = UnitStores(context)
  }

  package struct Result {
    package var jobs: [JobDraft]
    package var report: ImportReport
    package var text: String
    var groups: [DraftEntry]

    package func text(without keys: [JobKey]) -> String {
      let jobs = jobs.map { job in
        var job = job
        for key in keys { job[key] = nil }
        return job
      }
      return JobsFileText(header: [], jobs: jobs, groups: groups).text
    }
  }

  /// - Parameters:
  ///   - paths: files and folders.
  ///   - standardInput: a source without a path; nil for none.
  package func run(_ paths: [String], standardInput: [UInt8]? = nil) -> Result {
    let tree = context.tree
    guard tree.root.isEmpty || tree.kind(of: "/") == .folder else {
      context.report.cannotRead(tree.root, "there is no such folder")
      return finish()
    }
    if context.options.isSystem { SystemImport(context: context, store: stores.machine).run() }
    if let standardInput {
      let text = SourceLines(file: ImportContext.standardInput, bytes: standardInput)
      if let kind = kind(of: context.add(text, .crontab), path: nil) {
        read(text, kind, at: nil, owner: nil, hint: nil)
      }
    }
    var named: Set<String> = []
    for path in paths where named.insert(tree.absolute(path)).inserted { read(path) }
    return finish()
  }

  /// Reports standard input as unreadable. Call it before `run`.
  package func cannotReadStandardInput(_ error: SystemError) {
    context.report.cannotRead(ImportContext.standardInput, ImportTree.Problem(error).sentence)
  }

  private func finish() -> Result {
    for store in stores.all { PulledServices(context: context, store: store).run() }
    let report = context.report
    IdiomaticJobs(context: context).run()
    var texts = context.jobs.flatMap { job in
      [job.name] + job.ordered.flatMap { [$0.key] + $0.value.texts }
    }
    texts += context.groups.map(\.key)
    let check = CoverageCheck(report: report, texts: texts)
    let sources = context.sources.filter { !$0.kind.isTree }
    let units = Set(sources.lazy.filter { $0.kind == .systemd }.map(\.text.file))
    if !sources.isEmpty {
      check.run(on: sources.map(\.text)) { units.contains($0.file) ? ["#", ";"] : ["#"] }
    }
    let file = JobsFileText(
      header: [context.options.header] + report.sources.map { "From \($0.path)" },
      jobs: context.jobs, groups: context.groups)
    return Result(
      jobs: context.jobs, report: report, text: file.text, groups: context.groups)
  }

  private func read(_ path: String) {
    if path.isEmpty {
      return context.report.cannotRead("''", SystemError.text(ENOENT))
    }
    var absolute = context.tree.absolute(path)
    while absolute.count > 1, absolute.hasSuffix("/") { absolute.removeLast() }
    context.name(absolute, as: context.tree.root.isEmpty ? path : context.tree.root + absolute)
    let kind = context.tree.kind(of: absolute)
    if kind == .folder { return readFolder(absolute) }
    let recognition = SourceRecognition(context: context)
    if absolute.hasSuffix(".timer"), context.options.kind ?? .systemd == .systemd {
      return readTimer(absolute)
    }
    if absolute.hasSuffix(".service") {
      return context.report.cannotRead(
        context.shown(absolute), "a service has no times; name its timer")
    }
    if context.options.user != nil {
      context.report.note(
        "--user is for systemd's timers, and this is none", at: SourceLocation(file: path))
    }
    let place = recognition.kind(ofPlace: absolute)
    guard let (text, owner) = context.text(of: absolute, context.options.kind ?? place ?? .crontab)
    else { return }
    note(owner, of: text)
    guard let found = context.options.kind ?? place ?? self.kind(of: text, path: absolute)
    else { return }
    let isFolderFile = place == .cronD && !absolute.hasSuffix("/crontab")
    // Only `/etc/crontab` and the folders beside it have a user column, whatever `--from` says.
    let read: SourceKind = found == .crontab && place == .cronD ? .cronD : found
    self.read(
      text, read, at: absolute, owner: recognition.owner(ofPlace: absolute),
      hint: isFolderFile ? absolute.split(separator: "/").last.map(String.init) : nil)
  }

  /// The kind of a text by its content; nil, with a report, if takt does not import it.
  private func kind(of text: SourceLines, path: String?) -> SourceKind? {
    if let kind = context.options.kind { return kind }
    if let sentence = UnknownSource(text, path: path).refusal {
      context.drop(text)
      context.report.cannotRead(text.file, sentence)
      return nil
    }
    return SourceRecognition(context: context).kind(of: text, path: path)
  }

  /// - Parameter path: the path in the tree; nil for standard input.
  private func read(
    _ text: SourceLines, _ kind: SourceKind, at path: String?, owner: String?, hint: String?
  ) {
    let count = context.jobs.count
    context.setKind(kind, of: text)
    switch kind {
    case .crontab, .cronD, .supercronic:
      CrontabImport(
        context: context, kind: kind, owner: owner, nameHint: hint ?? Whenever(text)?.project
      ).run(text)
    case .anacrontab: AnacrontabImport(context: context).run(text)
    case .systemd:
      return context.report.cannotRead(
        text.file, "a timer is read with its service: name the file, such as backup.timer")
    case .runParts:
      return context.report.cannotRead(text.file, "this is a file, not a folder of scripts")
    case .ofelia where Ofelia.isINI(text): OfeliaImport(context: context).run(text)
    case .launchd: LaunchdImport(context: context).run(text)
    case .kubernetes, .yacron, .ofelia, .dkron, .github: readYAML(text, kind, at: path)
    }
    context.report.sources.append(
      ImportReport.Source(
        path: text.file, kind: kind, jobs: context.jobs.count - count,
        stop: context.stop(of: kind, text.file, owner: owner)))
  }

  private func readYAML(_ text: SourceLines, _ kind: SourceKind, at path: String?) {
    let file = context.options.readYAML(
      text.file, Array(text.lines.map(\.text).joined(separator: "\n").utf8))
    if !file.problems.isEmpty, let place = Self.template(in: text) {
      context.report.cannotRead(
        "\(place)", UnknownSource.template)
    } else {
      for problem in file.problems {
        context.report.cannotRead("\(problem.place)", problem.sentence)
      }
    }
    switch kind {
    case .kubernetes: KubernetesImport(context: context).run(file.documents, file: text.file)
    case .ofelia:
      OfeliaLabels(context: context).run(file.documents, file: text.file, path: path)
    case .dkron: DkronImport(context: context).run(file.documents, file: text.file)
    case .github: GitHubImport(context: context).run(file.documents, file: text.file)
    default:
      if case .map? = file.documents.first?["jobs"]?.content {
        return context.report.cannotRead(
          text.file, "'jobs' has names here, as in a jobs file of takt; that of yacron is a list")
      }
      YacronImport(context: context).run(file.documents, file: text.file, path: path)
    }
  }

  /// The place of the first `{{`.
  private static func template(in text: SourceLines) -> SourceLocation? {
    for line in text.lines {
      let pairs = zip(line.scalars, line.scalars.dropFirst())
      guard let pair = pairs.enumerated().first(where: { $0.element == ("{", "{") }) else {
        continue
      }
      return SourceLocation(file: text.file, line: line.number, column: pair.offset + 1)
    }
    return nil
  }

  /// Notes a foreign owner: anyone who can write a source decides what runs.
  private func note(_ owner: UInt32, of text: SourceLines) {
    guard owner != 0, owner != context.ownUser else { return }
    context.report.note(
      "the file belongs to another user (\(owner)): look at its commands before they run",
      at: SourceLocation(file: text.file))
  }

  private func readFolder(_ path: String) {
    let last = path.split(separator: "/").last.map(String.init) ?? ""
    let names = context.names(in: path)
    if !context.tree.canList(path) {
      return context.report.cannotRead(context.shown(path), "the folder cannot be read")
    }
    let timers = names.filter { $0.hasSuffix(".timer") }
    let kind =
      context.options.kind
      ?? (last == "cron.d"
        ? .cronD : last.hasPrefix("cron.") ? .runParts : timers.isEmpty ? nil : .systemd)
    switch kind {
    case .systemd?:
      for timer in timers { readTimer(path + "/" + timer) }
    case .runParts?: RunPartsImport(context: context).run(path)
    case .cronD?: SystemImport(context: context, store: stores.machine).readCronD(path)
    case .crontab?, .supercronic?, .anacrontab?, .kubernetes?, .yacron?, .ofelia?, .dkron?,
      .github?, .launchd?:
      for name in names where context.isFile(path + "/" + name) {
        read(path + "/" + name)
      }
    case nil:
      context.report.cannotRead(
        context.shown(path), "nothing here says what this folder is; say so with --from")
    }
  }

  private func readTimer(_ path: String) {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    let name = String(path[path.index(after: slash)...])
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    let store: UnitStore
    do throws(UnitManager.Problem) {
      store = stores.store(of: try UnitManager(of: folder, context))
    } catch {
      return context.report.cannotRead(context.shown(path), error.sentence)
    }
    store.prefer(folder)
    SystemImport(context: context, store: store).readTimer(name, shown: context.shown(path))
  }
}
