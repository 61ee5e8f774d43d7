import ArgumentParser
import TaktConfig
import TaktCore
import TaktEngine
import TaktStore
import TaktTime

/// The ledger that a command reads.
struct StateArgument: ParsableArguments {
  @Option(
    name: [.customShort("f"), .customLong("file")],
    help: "The jobs file, which names the state folder. (default: jobs.yaml)",
    completion: .file(extensions: ["yaml", "yml"]))
  var givenFile: String?

  var file: String { givenFile ?? FileArgument.standard }

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

  /// The ledger and the zone in which times are shown; ends the program when there is no ledger.
  func open() throws -> (archive: LedgerArchive, zone: Zone) {
    if let folder { return (try archive(folder), ShownZone.local) }
    if let givenFile { try FileArgument.requireFile(givenFile) }
    // A file with errors still names its ledger.
    let place = JobsLoader.place(of: file)
    switch place.state {
    case .folder(let folder): return (try archive(folder), ShownZone.of(place))
    case .none:
      Console.error("takt: \(file) has 'state: none', so there is no ledger")
      throw ExitCode.configuration
    }
  }

  /// The jobs of the jobs file; nil where none is named, or it has errors.
  func snapshot() -> Snapshot? {
    guard folder == nil || givenFile != nil else { return nil }
    return JobsFileSource(path: file, catalogue: BuiltinRegistry.standard).load().snapshot
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
  /// What it is, and what to do.
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
}
