import Foundation
import TestSupport
import Testing

/// A simulated week around a clock change, as tables that a person can check:
/// `Tests/Data/golden/*.txt`. `TAKT_WRITE_GOLDEN=1` writes them again.
@Suite(.ownThreads) struct GoldenWeeksTests {
  @Test(arguments: [
    "berlin-spring 2026-03-26", "berlin-autumn 2026-10-22", "new-york-spring 2026-03-05",
    "new-york-autumn 2026-10-29", "lord-howe-spring 2026-10-01", "lord-howe-autumn 2026-04-02",
    "recurrence-spring 2026-03-26", "recurrence-autumn 2026-10-22", "sao-paulo-spring 2018-11-01",
    "sao-paulo-autumn 2018-02-15", "calendars-autumn 2026-10-22", "calendars-spring 2026-03-26",
    "families-autumn 2026-10-22", "families-spring 2026-03-26",
  ])
  func `a week round a clock change is as it was checked`(row: String) throws {
    let parts = row.split(separator: " ").map(String.init)
    let folder = Repository.url("Tests/Data/golden")
    let elsewhere = try TemporaryFolder()
    let process = try elsewhere.takt([
      "simulate", folder.appending(path: "\(parts[0]).yaml").path, "--from",
      "\(parts[1])T06:00", "--for", "7d", "--slots",
    ])
    #expect(process.status == 0, "\(process.errors)")
    let table = folder.appending(path: "\(parts[0]).txt")
    if ProcessInfo.processInfo.environment["TAKT_WRITE_GOLDEN"] != nil {
      try process.output.write(to: table, atomically: true, encoding: .utf8)
    }
    #expect(try process.output == String(contentsOf: table, encoding: .utf8))
  }
}
