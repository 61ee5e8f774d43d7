import TaktCore
import TaktTesting
import TaktTime
import Testing

@testable import TaktConfig

extension JobsLoader {
  /// A loader of root, with the actions, zones and users of tests.
  init(
    zones: any ZoneSource = TestZones(), accounts: any AccountSource = TestAccounts(),
    time: any TimeSource = SystemTimeSource(), userID: UInt32 = 0,
    refusesWritableByOthers: Bool = false
  ) {
    self.init(
      catalogue: TestCatalogue(), zones: zones, accounts: accounts, time: time, userID: userID,
      refusesWritableByOthers: refusesWritableByOthers)
  }
}

/// A loader that accepts files of any owner, so that a test has the same result for every user.
let loader = JobsLoader(accounts: TestAccounts(own: "root"))

/// Loads a text as `jobs.yaml` in a folder of its own.
func load(_ text: String) -> LoadedJobs { load(Array(text.utf8)) }

func load(_ bytes: [UInt8]) -> LoadedJobs {
  let folder = TemporaryFolder()
  return loader.load(path: folder.write(bytes, to: "jobs.yaml"))
}

/// The spec of the job `a` that has `keys`, with `before` above `jobs`, beside a job `other`.
func spec(_ keys: String, before: String = "") throws -> JobSpec {
  let loaded = load("\(before)\njobs: {a: {\(keys)}, other: {on: start, run: x}}\n")
  #expect(loaded.diagnostics.map(\.headline) == [])
  return try #require(loaded.snapshot?.jobs.first)
}

/// `line:column code` of each diagnostic; the code alone for one of the whole file.
func rows(_ diagnostics: [Diagnostic]) -> [String] {
  diagnostics.map { diagnostic in
    let location = diagnostic.location
    let place = location.line == 0 ? "" : "\(location.line):\(location.column) "
    return place + diagnostic.code.rawValue
  }
}

/// Checks a row `code code | text`, in which `»` marks the places in order. `wrap` makes a file of
/// the text.
func check(badRow row: String, wrap: (String) -> String = { $0 }) throws {
  let parts = row.split(separator: " | ", maxSplits: 1, omittingEmptySubsequences: false)
  try #require(parts.count == 2)
  let marked = MarkedText(wrap(String(parts[1])))
  let codes = parts[0].split(separator: " ").map(String.init)
  let places = marked.places.map { $0 + " " }
  let loaded = load(marked.text)
  let expected = codes.enumerated().map { index, code in
    (index < places.count ? places[index] : "") + code
  }
  #expect(rows(loaded.diagnostics) == expected, "\(loaded.diagnostics.map(\.headline))")
  #expect(loaded.snapshot == nil)
}

extension Snapshot {
  /// The jobs' names in order.
  var names: [String] { jobs.map(\.name.text) }
}

extension JobSpec {
  /// The same job with its file in `folder`: every load of a test has a folder of its own.
  func inFolder(_ folder: String) -> JobSpec {
    var job = self
    job.execution.directory = folder
    return job
  }
}
