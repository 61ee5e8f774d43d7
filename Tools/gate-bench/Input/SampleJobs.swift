import TaktConfig
import TaktCore
import TaktEngine
import TaktTesting

/// A typical jobs file, of any length, always the same.
enum SampleJobs {
  /// The names, in the order of the file.
  static func names(_ range: Range<Int>) -> [String] {
    range.map { "job-\(String(10_000 + $0).dropFirst())" }
  }

  /// The text of a file with the jobs of these numbers.
  ///
  /// - Parameters:
  ///   - changed: jobs with another command.
  ///   - rearmed: jobs with another schedule.
  static func text(_ range: Range<Int>, changed: Set<Int> = [], rearmed: Set<Int> = []) -> [UInt8] {
    var text = """
      scheduler: {timezone: Europe/Berlin, max_running: 64}
      defaults: {timeout: 10m, qos: utility}
      jobs:

      """
    for (number, name) in zip(range, names(range)) {
      text += "  \(name):\n"
      text += "    description: Job number \(number) of a file that is always the same\n"
      text += "    \(schedule(rearmed.contains(number) ? number + 1 : number))\n"
      text += "    \(action(number, isChanged: changed.contains(number)))\n"
      if number % 3 == 0 { text += "    leeway: 2s\n" }
      if number % 4 == 0 {
        text += "    retry: {attempts: 3, delay: 30s, factor: 2}\n"
      }
      if number % 5 == 0 { text += "    tags: [nightly, team-\(number % 7)]\n" }
      if number % 6 == 0 {
        text += "    env: {STAGE: production, SHARD: \"\(number % 16)\"}\n"
      }
      if number % 8 == 0 {
        text += "    on_failure: [{use: log, with: {message: \"{{job}} failed\"}}]\n"
      }
    }
    return Array(text.utf8)
  }

  private static func schedule(_ number: Int) -> String {
    switch number % 5 {
    case 0: "every: \(10 + number % 50)s"
    case 1: #"cron: "\#(number % 60) \#(number % 24) * * *""#
    case 2: #"cron: "*/\#(5 + number % 20) 8-18 * * mon-fri""#
    case 3: #"calendar: "Mon..Fri *-*-* \#(10 + number % 12):30:00""#
    default: "every: \(1 + number % 30)m"
    }
  }

  private static func action(_ number: Int, isChanged: Bool) -> String {
    let version = isChanged ? 2 : 1
    return switch number % 3 {
    case 0: "run: backup --shard \(number) --version \(version) | gzip > /srv/\(number).gz"
    case 1: #"run: [/usr/bin/report, --number, "\#(number)", --version, "\#(version)"]"#
    default: "use: log\n    with: {message: still here \(number) \(version)}"
    }
  }

  /// Loads a text; throws if it has errors.
  static func load(_ text: [UInt8]) throws -> Snapshot {
    let loaded = loader.load(path: "/nowhere/jobs.yaml", text: text)
    guard let snapshot = loaded.snapshot else {
      throw WorkloadFailure(loaded.diagnostics.first?.text ?? "not loaded")
    }
    return snapshot
  }

  private static var loader: JobsLoader {
    JobsLoader(
      catalogue: BuiltinRegistry.standard, zones: FixedZones(), accounts: FixedAccounts(),
      time: FixedTime(), userID: 1000, refusesWritableByOthers: false)
  }
}
