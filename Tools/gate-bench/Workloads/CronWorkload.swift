import TaktCore
import TaktTesting
import TaktTime

/// The next times of 20 expressions, common and rare, in a zone with daylight saving.
struct CronWorkload: Workload {
  static let name = "cron"
  static let summary = "1,000 searches for the next time of a cron expression"

  private static let texts = [
    "* * * * *", "*/5 * * * *", "0 * * * *", "30 2 * * *", "15 14 1 * *", "0 22 * * 1-5",
    "23 0-20/2 * * *", "5 4 * * sun", "0 0 1,15 * 3", "0 0 L * *", "0 0 LW * *", "0 0 15W * *",
    "0 12 * * 5#3", "0 0 29 2 *", "0 0 1 1 *", "*/10 * * * * *", "0 30 9 * * mon-fri",
    "0 0 0 1 jan,jul *", "59 23 31 12 *", "0 0 * * 5L",
  ]

  private let expressions: [CronExpression]
  private var found = 0

  init() throws {
    expressions = try Self.texts.map { try CronExpression($0) }
    try run()
    found = 0
  }

  mutating func run() throws {
    // Values of another module: read once, they cost nothing here.
    let (begin, zone) = (FixedTime.wall, FixedZones.berlin)
    for (number, expression) in expressions.enumerated() {
      for step in 0..<50 {
        // A week and some hours apart, so that the starts fall on all days and hours.
        let start = begin + .seconds((step * 173 + number * 29) * 3600)
        if expression.next(after: start, in: zone) != nil { found += 1 }
      }
    }
  }

  func check() throws {
    try expect("times found", found, is: 1000)
  }
}
