import ArgumentParser
import Glibc
import TaktCore
import TaktStore
import TaktTime

/// The options for drawing runs from the ledger, and for a comparison.
struct HistoryOptions: ParsableArguments {
  @Flag(help: "Draw durations, failures, CPU and memory of runs from the ledger.")
  var history = false

  @Option(
    name: .customLong("state"),
    help: "The state folder with the ledger. (default: that of the jobs file)",
    completion: .directory)
  var folder: String?

  @Option(help: "The first seed. The same seed gives the same result. (default: 1)")
  var seed: UInt64?

  @Option(help: "The number of simulations, each with the next seed. (default: 20 with --history)")
  var seeds: Int?

  @Option(
    help: "Compare with this jobs file, and show what changes with it.",
    completion: .file(extensions: ["yaml", "yml"]))
  var with: String?

  @Option(help: "The processors to compare with. (default: those of this machine)")
  var cores: Int?

  @Option(help: "The memory to compare with, such as 8GB. (default: that of this machine)")
  var memory: String?

  static let seedsMax = 1000

  func validate() throws {
    if let seeds, !(1...Self.seedsMax).contains(seeds) {
      throw ValidationError("--seeds takes a number from 1 to \(Self.seedsMax).")
    }
    if let cores, cores < 1 { throw ValidationError("--cores takes a number from 1.") }
    if let memory, (try? SizeText.parse(memory)) == nil {
      throw ValidationError("--memory takes a size such as 512MB or 8GB.")
    }
    if history { return }
    if folder != nil || seed != nil || seeds != nil || cores != nil || memory != nil {
      throw ValidationError("--state, --seed, --seeds, --cores and --memory need --history.")
    }
  }

  /// True if more than one simulation is requested.
  var isForecast: Bool { history || with != nil }

  var seedCount: Int { seeds ?? (history ? Forecast.Plan.defaultSeeds : 1) }

  var machine: MachineSize {
    var size = MachineSize.own
    if let cores { size.cores = cores }
    if let memory, let bytes = try? SizeText.parse(memory) { size.memoryBytes = Int64(bytes) }
    return size
  }

  /// The runs that started before a simulation does; none without `--history`. Ends the program if
  /// there is no ledger.
  func runs(of file: String, before start: WallInstant, in zone: Zone) throws -> RunHistory {
    guard history else { return RunHistory([:]) }
    return try Self.runs(in: Self.state(file, folder).open().archive, before: start, in: zone)
  }

  static func state(_ file: String, _ folder: String?) -> StateArgument {
    var state = StateArgument()
    state.givenFile = file
    state.folder = folder
    return state
  }

  static func runs(
    in archive: LedgerArchive, since: WallInstant? = nil, before end: WallInstant, in zone: Zone
  ) throws -> RunHistory {
    let runs = try archive.orExit { (archive) throws(LedgerArchive.Failure) in
      try archive.history(since: since, before: end, in: zone)
    }
    if runs.count == 0 {
      Console.error("takt: the ledger has no runs that began before \(end.rfc3339(in: zone))")
    }
    return runs
  }
}

struct MachineSize {
  var cores: Int
  var memoryBytes: Int64

  static var own: MachineSize {
    // Below 2^63 bytes on any machine.
    let bytes = Int64(sysconf(Int32(_SC_PHYS_PAGES))) &* Int64(sysconf(Int32(_SC_PAGESIZE)))
    return MachineSize(
      cores: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))), memoryBytes: max(1, bytes))
  }
}
