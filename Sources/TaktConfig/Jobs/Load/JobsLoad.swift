import Glibc
import TaktCore
import TaktSystem
import TaktTime

/// One load: the state that grows while a main file and its includes are read.
final class JobsLoad {
  /// Bounds on includes, against patterns and links that form circles.
  private static let depthBound = 16
  static let fileBound = 10_000
  static let sizeBound = 64 << 20
  /// The name of takt's state folder, beside the main file.
  static let defaultStateFolder = ".takt"

  private let sources: LoadSources
  private let plugins: PluginTable
  private var log = ProblemLog()
  private var settings: SchedulerSettings
  private var calendars: [String: SharedCalendar] = [:]
  private var specs: [JobSpec] = []
  private var places: [String: SourceLocation] = [:]
  private var known: Set<FileIdentity> = []
  private var shownFiles: [String] = []
  private var files: [String] = []
  private var identities: [String: FileIdentity] = [:]
  private var directories: [String] = []
  private var matches: [PatternMatches] = []
  private var listedJobs: Set<JobName> = []
  private var families: [(name: JobName, location: SourceLocation, line: String?)] = []

  private let memory: LoadMemory?
  /// Jobs for the next load, by absolute path.
  private var remembered: [String: EqualJobs] = [:]

  /// - Parameter settings: those of another file, which apply here; nil for the built-in ones.
  init(
    sources: LoadSources, plugins: PluginTable, memory: LoadMemory? = nil,
    settings: SchedulerSettings? = nil
  ) {
    self.sources = sources
    self.memory = memory
    self.plugins = plugins
    self.settings = settings ?? SettingsBuilder.builtIn(zones: sources.zones)
  }

  /// Reads all files; `text` replaces the content of the main file.
  func result(of path: String, text: FileBytes? = nil) -> LoadedJobs {
    shownFiles.append(path)
    files.append(FilePath.absolute(path))
    let folder = FilePath.folder(of: FilePath.absolute(path))
    plugins.folders = [FilePath.join(folder, PluginTable.defaultFolder)]
    settings.state = settings.state ?? .folder(FilePath.join(folder, Self.defaultStateFolder))
    do {
      if case .read(let identity, let includes) = try visit(path, as: text, ancestors: []) {
        follow(includes, of: path, ancestors: [identity])
      }
    } catch {
      let (code, message, hint) = error.sentence
      log.add(
        Diagnostic(code, at: SourceLocation(file: path), message, hint: hint))
    }
    log.add(sources.environmentFiles.log)
    for own in sources.lineFiles.logs { log.add(own) }
    log.add(sources.calendarFiles.log)
    log.add(plugins.log)
    checkFollowings()
    warnOfFamilies()
    warnOfWhole(path)
    // A text from a client replaces the file only for this load.
    if log.errorCount == 0, text == nil { memory?.keep(RememberedLoad(remembered, sources)) }
    let environmentFiles = sources.environmentFiles.answers
    let lineFiles = sources.lineFiles.answers
    let calendarFiles = sources.calendarFiles.answers
    var listed: Set<String> = []
    return LoadedJobs(
      snapshot: log.errorCount == 0 ? Snapshot(settings: settings, jobs: specs) : nil,
      diagnostics: log.sorted(
        files: shownFiles + environmentFiles.shownPaths + lineFiles.shownPaths
          + calendarFiles.shownPaths + plugins.paths),
      files: (files + environmentFiles.paths + lineFiles.paths + calendarFiles.paths
        + plugins.paths).filter {
          listed.insert($0).inserted
        },
      identities: identities.merging(environmentFiles.identities) { $1 }
        .merging(lineFiles.identities) { $1 }.merging(calendarFiles.identities) { $1 }
        .merging(plugins.identities) { $1 },
      stamps: sources.files.stamps, matches: matches, roles: sources.files.roles,
      directories: directories, pluginFolders: plugins.searchPath,
      families: sources.lineFiles.families, listedJobs: listedJobs,
      state: settings.state ?? .none)
  }

  /// Reports wrong links between jobs, once all possible parents are known.
  private func checkFollowings() {
    guard log.errorCount == 0, !sources.followings.isEmpty else { return }
    // Through an alias, many jobs can share a place.
    let links = sources.followings.values.sorted {
      ($0.location.file, $0.location.line, $0.location.column, $0.child, $0.parent)
        < ($1.location.file, $1.location.line, $1.location.column, $1.child, $1.parent)
    }
    for problem in links.problems(among: specs.map(\.name.text), listed: listedJobs) {
      log.add(problem)
    }
    if settings.cluster != nil {
      for problem in links.clusterProblems(among: specs) { log.add(problem) }
    }
  }

  /// Warns of definitions with `for_each` that share their name with a job: a name means the job
  /// first.
  private func warnOfFamilies() {
    guard log.errorCount == 0, !families.isEmpty else { return }
    let names = Set(families.map(\.name))
    let taken = Set(specs.lazy.map(\.name).filter(names.contains))
    for family in families where taken.contains(family.name) {
      log.add(
        Diagnostic(
          severity: .warning, .duplicateJob, at: family.location,
          "a job is named '\(family.name)', too; in commands the name means that job, not those that "
            + "'\(JobKey.forEach)' makes here",
          hint: "rename one of them", sourceLine: family.line))
    }
  }

  /// Warns of problems that belong to no line of a file.
  private func warnOfWhole(_ path: String) {
    if let flaw = sources.zones.localFlaw, settings.zone == sources.zones.zone(named: "local") {
      log.add(
        Diagnostic(
          severity: .warning, .unknownZone, at: SourceLocation(file: path), flaw,
          hint: sources.zones.missingFilesHint
            ?? "correct TZ, or set '\(Key.timezone)' under '\(Key.scheduler)'"))
    }
    // A file that is mounted by itself does not change when an editor replaces it.
    for path in sources.files.namelessPaths {
      log.add(
        Diagnostic(
          severity: .warning, .suspicious, at: SourceLocation(file: path),
          "this file has been replaced or deleted since it was mounted; takt reads the old one",
          hint: "mount its folder instead of the file, or restart the container"))
    }
    if specs.isEmpty, log.errorCount == 0, !settings.readsLabels {
      log.add(
        Diagnostic(
          severity: .warning, .empty, at: SourceLocation(file: path), "there are no jobs to run"))
    }
  }

  private enum Visit {
    case read(FileIdentity, [IncludeRequest])
    /// The file includes itself, directly or through others.
    case cycle
    /// Already read through another include.
    case known
  }

  /// Reads the file at `path`; its text is freed on return, before its includes are read.
  private func visit(
    _ path: String, as text: FileBytes? = nil, ancestors: [FileIdentity]
  ) throws(FileProblem) -> Visit {
    let isMain = ancestors.isEmpty
    let contents =
      if let text {
        FileReader.contents(of: path, as: text)
      } else {
        try sources.files.read(path, as: isMain ? .jobsFile : .include, bound: Self.sizeBound)
      }
    identities[FilePath.absolute(path)] = contents.identity
    if isMain { sources.files.noteJobsFile(owner: contents.owner) }
    if ancestors.contains(contents.identity) { return .cycle }
    guard known.insert(contents.identity).inserted else { return .known }
    if sources.files.parties != nil, text == nil, contents.owner != 0 {
      warn(ofOwner: contents.owner, path)
    }
    let includes = readJobs(of: contents.bytes, path: path, isMain: isMain)
    return .read(contents.identity, includes)
  }

  /// The owner of a file can change what takt does as root.
  private func warn(ofOwner owner: UInt32, _ path: String) {
    log.add(
      Diagnostic(
        severity: .warning, .unsafePermissions, at: SourceLocation(file: path),
        "user \(owner) owns this file and can therefore run anything as root",
        hint: "run: chown root \(path), unless this is intended"))
  }

  private func follow(_ includes: [IncludeRequest], of path: String, ancestors: [FileIdentity]) {
    let folder = FilePath.folder(of: path)
    for request in includes { include(request, in: folder, ancestors: ancestors) }
  }

  private func readJobs(of bytes: FileBytes, path: String, isMain: Bool) -> [IncludeRequest] {
    let source = SourceText(file: path, bytes: bytes)
    let pass = FilePass.read(
      FilePass.Setting(
        source: source, isMain: isMain,
        folder: FilePath.folder(of: FilePath.absolute(path)), settings: settings,
        sources: sources, plugins: plugins, limits: YAMLLimits(), places: places,
        calendars: calendars))
    log.add(pass.reporter.log)
    remembered[FilePath.absolute(path)] = pass.jobs?.maker.equalJobs.ofLastLoad
    if isMain { (settings, calendars) = (pass.settings, pass.calendars) }
    if let listed = pass.jobs?.listedJobs { listedJobs.formUnion(listed) }
    for (name, mark) in pass.jobs?.families ?? [] {
      let location = source.place(of: mark).location
      families.append((name, location, pass.reporter.line(location.line)))
    }
    let made = pass.jobs?.specs ?? []
    if log.errorCount > 0 {
      specs = []
    } else if specs.isEmpty {
      specs = made
    } else {
      specs += made
    }
    // Duplicates across files need more than one file.
    if !isMain || !pass.includes.isEmpty {
      for (name, mark) in pass.jobs?.names ?? [] {
        places[name] = SourceLocation(
          file: path, line: Int(mark.line), column: Int(mark.column))
      }
    }
    return pass.includes
  }

  private func include(_ request: IncludeRequest, in folder: String, ancestors: [FileIdentity]) {
    guard ancestors.count <= Self.depthBound else {
      log.add(
        request.diagnostic(
          .tooManyIncludes, "includes are nested more than \(Self.depthBound) deep"))
      return
    }
    guard IncludePattern.isPattern(request.path) else {
      include(
        FilePath.join(folder, request.path), by: request, ancestors: ancestors, isPattern: false)
      return
    }
    for path in matches(of: request, in: folder) {
      include(path, by: request, ancestors: ancestors, isPattern: true)
    }
  }

  /// The files that a pattern matches now. Its folders are noted.
  private func matches(of request: IncludeRequest, in folder: String) -> [String] {
    if request.path.contains("**") {
      log.add(
        request.diagnostic(
          .badValue, "'**' does not match folders here",
          hint: "write one '*' for each level of folders"))
      return []
    }
    if let reach = sources.files.reach {
      // No folder is listed for a text from a client.
      return reach.matches(of: FilePath.absolute(FilePath.join(folder, request.path)))
    }
    let pattern = IncludePattern(request.path, in: folder, bound: Self.fileBound)
    if pattern.isTooLarge {
      log.add(
        request.diagnostic(
          .tooManyIncludes,
          "the pattern is a path of more than \(PATH_MAX - 1) bytes, or leads through more than "
            + "\(IncludePattern.foldersMax) folders",
          hint: "name the folders"))
      return []
    }
    var listed = Set(directories)
    for folder in pattern.folders.map(FilePath.absolute) where listed.insert(folder).inserted {
      directories.append(folder)
    }
    for folder in pattern.folders.map(FilePath.absolute) {
      do throws(FileProblem) {
        // takt would read any file that appears there.
        try sources.files.check(folder, as: .includePattern)
      } catch {
        let (code, message, hint) = error.sentence
        log.add(request.diagnostic(code, message, hint: hint))
        return []
      }
    }
    if let failure = pattern.failure {
      log.add(
        request.diagnostic(
          .unreadable,
          "cannot read the folder '\(failure.folder)': \(SystemError.text(failure.error))"))
    }
    if pattern.matches.isEmpty, pattern.failure == nil, sources.machineFiles != nil {
      log.add(
        request.diagnostic(
          .suspicious, severity: .warning, "'\(request.path)' matches no file",
          hint: "paths are relative to \(folder.isEmpty ? "the folder of this file" : folder)"))
    }
    matches.append(
      PatternMatches(
        pattern: request.path, folder: folder, paths: pattern.matches.map(FilePath.absolute)))
    return pattern.matches
  }

  private func include(
    _ path: String, by request: IncludeRequest, ancestors: [FileIdentity], isPattern: Bool
  ) {
    guard files.count <= Self.fileBound else {
      log.add(
        request.diagnostic(
          .tooManyIncludes, "more than \(Self.fileBound) files are included"))
      return
    }
    shownFiles.append(path)
    files.append(FilePath.absolute(path))
    do {
      switch try visit(path, ancestors: ancestors) {
      case .read(let identity, let includes):
        follow(includes, of: path, ancestors: ancestors + [identity])
      case .cycle where !isPattern:
        log.add(
          request.diagnostic(
            .includeCycle, "'\(path)' includes itself, directly or through other files",
            hint: "remove this include"))
      case .cycle, .known: break
      }
    } catch {
      let (code, message, hint) = error.sentence
      let isMissing = error == .system(ENOENT)
      log.add(
        request.diagnostic(
          isMissing ? .includeMissing : code, "'\(path)': \(message)", hint: hint))
    }
  }
}

/// One item of `include`, with its place for when its file's text is freed.
struct IncludeRequest {
  var path: String
  var location: SourceLocation
  var sourceLine: String?

  func diagnostic(
    _ code: Diagnostic.Code, severity: Diagnostic.Severity = .error, _ message: String,
    hint: String? = nil
  ) -> Diagnostic {
    Diagnostic(
      severity: severity, code, at: location, message, hint: hint, sourceLine: sourceLine)
  }
}
