import ArgumentParser
import Glibc
import TaktAPI
import TaktConfig
import TaktCore
import TaktEngine
import TaktStore
import TaktTime

struct StateArgument: ParsableArguments {
  @Option(
    name: [.customShort("f"), .customLong("file")],
    help:
      "The jobs file, which names the state folder. (default: TAKT_FILE, jobs.yaml, or that of a running service in /etc/takt)",
    completion: .file(extensions: ["yaml", "yml"]))
  var givenFile: String?

  var file: String { control.file }

  @Option(
    name: .customLong("state"),
    help: "The state folder, instead of the jobs file. (default: .takt beside the file)",
    completion: .directory)
  var folder: String?

  /// The daemon that uses this state folder.
  var control: ControlArgument {
    var control = ControlArgument()
    control.givenFile = givenFile
    control.folder = folder
    return control
  }

  /// The ledger and the zone for times; ends the program if there is no ledger.
  func open() throws -> (archive: LedgerArchive, zone: Zone) {
    if let folder { return (try archive(folder), ShownZone.local) }
    try control.requireFile()
    // A file with errors still names its ledger.
    let place = JobsLoader.place(of: file)
    switch place.state {
    case .folder(let folder): return (try archive(folder), ShownZone.of(place))
    case .none:
      Console.error("takt: \(file) has 'state: none', so there is no ledger")
      throw ExitCode.configuration
    }
  }

  /// The jobs of the jobs file; nil if none is named, or it has errors.
  func snapshot() -> Snapshot? {
    guard folder == nil || givenFile != nil else { return nil }
    return JobsFileSource(path: file, catalogue: BuiltinRegistry.standard).load().snapshot
  }

  /// Ends the program if the ledger has no such job. A daemon that has just loaded a job writes it
  /// to the ledger shortly after, so this waits up to three seconds.
  func requireJob(_ name: String, in archive: LedgerArchive) throws -> JobName {
    var names = try archive.jobs()
    for _ in 0..<30 where !names.contains(name) {
      let target = "/api/v1/jobs/\(name.asPathPart)"
      guard control.quietConnection?.askQuietly(API.Job.self, target) != nil else { break }
      usleep(100_000)
      names = try archive.jobs()
    }
    if names.contains(name), let job = JobName(name) { return job }
    Console.error(
      "takt: the ledger has no job '\(name.printable)'"
        + (advice(onUnknown: name, names).map { "; \($0)" } ?? "").printable)
    throw ExitCode.usage
  }

  /// The likely intention: the running daemon, or else the jobs file, knows the jobs of a
  /// definition.
  private func advice(onUnknown name: String, _ names: [String]) -> String? {
    if let members = try? control.quietConnection?.members(of: name), !members.isEmpty {
      return UnknownName.words(family: name, members, total: members.count)
    }
    return (snapshot() ?? Snapshot(jobs: [])).advice(onUnknown: name, besides: names)
  }

  private func archive(_ folder: String) throws -> LedgerArchive {
    let folder = StateFolderLock.place(of: folder)
    try LedgerOwner.become(of: folder)
    do throws(LedgerArchive.Failure) {
      let archive = try LedgerArchive(folder: folder)
      if archive.isBehind {
        Console.error(
          "takt: \(archive.path) could not be written lately, so that what happened since is not in "
            + "it; the log of takt says why, and 'takt verify' since when")
      }
      return archive
    } catch {
      switch error {
      case .missing:
        Console.error("takt: \(error.advice)")
        throw ExitCode.configuration
      case .forbidden(let path):
        Console.error("takt: \(ForbiddenPlace.words(path))")
        throw ExitCode.unreadableLedger
      case .newer, .empty, .unwritten, .unreadable:
        Console.error("takt: \(error.advice)")
        throw ExitCode.unreadableLedger
      }
    }
  }
}

extension LedgerArchive.Failure {
  /// The failure, and the next step.
  fileprivate var advice: String {
    guard case .missing = self else { return sentence }
    return sentence + "; 'takt run' creates one, --file or --state names another"
  }
}

extension LedgerArchive {
  /// Reads, or ends the program with a sentence.
  func orExit<Value>(
    _ body: (LedgerArchive) throws(LedgerArchive.Failure) -> Value
  ) throws -> Value {
    do throws(LedgerArchive.Failure) {
      return try body(self)
    } catch {
      Console.error("takt: \(error.advice)")
      throw ExitCode.unreadableLedger
    }
  }

  func jobs() throws -> [String] {
    try orExit { (archive) throws(LedgerArchive.Failure) in try archive.jobNames() }
  }
}
