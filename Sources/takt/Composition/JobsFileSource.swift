import ArgumentParser
import Glibc
import TaktClaims
import TaktConfig
import TaktCore
import TaktEngine
import TaktSystem
import TaktTime

/// A jobs file, checked against the actions of this program, and the zones and accounts of this
/// machine.
struct JobsFileSource: SnapshotSource {
  let path: String
  let catalogue: any ActionCatalogue
  /// The place in which limits of whole runs have to be available; nil if nothing is run or
  /// checked.
  var limits: ControlGroupControllers.Place?
  var accounts: any AccountSource = SystemAccounts()
  /// The zone that `local` means; nil for the machine's own zone.
  var localZone: Zone?
  /// The results of earlier loads; nil if the file is read once.
  var memory: LoadMemory?

  /// The path without links, if the file exists.
  var absolutePath: String { SmallFile.realPath(path) ?? path }

  func load() -> LoadedSnapshot { load(as: nil) }

  func load(text: [UInt8], within files: FilesRead?) -> LoadedSnapshot {
    var state: String?
    if files != nil, case .folder(let folder) = JobsLoader.place(of: path).state { state = folder }
    let reach = files.map {
      FileReach(
        identities: $0.identities, roles: $0.roles, pluginFolders: $0.pluginFolders,
        families: $0.families, state: state)
    }
    return load(as: text, reach: reach)
  }

  func changedFiles(since files: FilesRead) -> [String] { files.changedPaths }

  func load(once job: OnceJob) -> LoadedSnapshot {
    // A job's name needs no escape.
    let text = "{\"jobs\": {\"\(job.name.text)\": \(job.text)}}"
    let loaded = loader.load(path: path, text: Array(text.utf8))
    return LoadedSnapshot(
      snapshot: loaded.snapshot, diagnostics: loaded.diagnostics,
      files: FilesRead(paths: [], readAt: SystemTimeSource().fileStamp, identities: [:]))
  }

  func load(
    labelsOf container: LabelledContainer, beside settings: SchedulerSettings
  ) -> LabelledJobs {
    loader.load(labelsOf: container, path: path, within: settings)
  }

  private func load(
    as text: [UInt8]?, reach: FileReach? = nil, isThorough: Bool = false
  ) -> LoadedSnapshot {
    let readAt = SystemTimeSource().fileStamp
    var loaded = loader.load(
      path: path, text: text, reach: reach, memory: memory, isThorough: isThorough)
    loaded.snapshot?.settings.fitDescriptors()
    return LoadedSnapshot(
      snapshot: loaded.snapshot, diagnostics: loaded.diagnostics,
      files: FilesRead(
        paths: loaded.files + loaded.directories, readAt: readAt, identities: loaded.identities,
        stamps: loaded.stamps, matches: loaded.matches, roles: loaded.roles,
        pluginFolders: loaded.pluginFolders, families: loaded.families),
      listedJobs: loaded.listedJobs)
  }

  /// The folders of plugins that the file names.
  var pluginFolders: [String] { loader.load(path: path).pluginFolders }

  private var loader: JobsLoader {
    let groupProblem: GroupLimitCheck? =
      if let limits {
        { ControlGroupControllers.problem(with: $0, in: limits) }
      } else {
        nil
      }
    return JobsLoader(
      catalogue: catalogue, zones: zones, accounts: accounts,
      time: SystemTimeSource(), engineAddresses: Self.flaws,
      groupProblem: groupProblem, bundledPlugins: Installation.plugins)
  }

  private var zones: any ZoneSource {
    localZone.map { ZonesElsewhere(local: $0) } ?? ZoneFiles()
  }

  /// The flaws that libpq finds in the connection string of a cluster; none without it.
  private static let flaws: EngineAddressCheck = { url, isThorough in
    PostgresURL.flaws(in: url, isThorough: isThorough).map {
      EngineAddressFlaw($0.isOfThisMachine ? .warning : .error, $0.message, hint: $0.hint)
    }
  }

  /// The set of jobs; prints the diagnostics, and ends the program if it cannot be used.
  ///
  /// - Parameters:
  ///   - isQuiet: true to print nothing about a set that can be used.
  ///   - isThorough: true to check the programs and files that jobs name as well.
  func loadOrExit(
    isQuiet: Bool = false, isThorough: Bool = false
  ) throws -> (snapshot: Snapshot, files: FilesRead, warnings: Int) {
    try JobsFileChoice.requireUnnamed(path)
    let loaded = load(as: nil, isThorough: isThorough)
    for diagnostic in loaded.diagnostics where !isQuiet || loaded.snapshot == nil {
      Console.error(diagnostic)
    }
    guard let snapshot = loaded.snapshot else { throw ExitCode.configuration }
    return (snapshot, loaded.files, loaded.diagnostics.count)
  }
}

extension SchedulerSettings {
  fileprivate mutating func fitDescriptors() {
    runsMax = ResourceLimits.runs()
    conditionsMax = ResourceLimits.conditions(atMost: conditionsMax, maxRunning: maxRunning)
  }
}

/// The zones of this machine with another local one.
private struct ZonesElsewhere: ZoneSource {
  let local: Zone
  private let files = ZoneFiles()

  init(local: Zone) { self.local = local }

  func zone(named name: String) -> Zone? { name == "local" ? local : files.zone(named: name) }

  var zoneNames: [String] { files.zoneNames }
}
