import Foundation
import TaktCore
import TaktTime

// Measures the search for the next instant over the rows of an oracle file, the worst cases, and
// croniter over the same rows if the Python named second has it: `schedule-bench cronos.jsonl
// [python]`.

struct Row: Decodable {
  var kind: String
  var expr: String
  var zone: String?
  var after: String?
  var days: String?
}

func zone(_ name: String) -> Zone? {
  if name == "UTC" { return .utc }
  let bytes = FileManager.default.contents(atPath: "/usr/share/zoneinfo/\(name)")
  return bytes.flatMap { Zone(name: name, tzif: Array($0)) }
}

func measure(_ title: String, rounds: Int, calls: Int, _ body: () -> Void) {
  body()
  var best = Double.infinity
  let clock = ContinuousClock()
  var total = 0.0
  for _ in 0..<rounds {
    let time = clock.measure { body() }
    let nanoseconds = Double(time / .nanoseconds(1)) / Double(calls)
    best = min(best, nanoseconds)
    total += nanoseconds
  }
  print("\(title): mean \(Int(total / Double(rounds))) ns, best round \(Int(best)) ns")
}

/// The same search by croniter, its expressions read beforehand.
func croniter(python: String, rows: String) {
  let program = """
    import sys, json, time
    from datetime import datetime
    from zoneinfo import ZoneInfo
    from croniter import croniter
    cases = []
    for line in open(sys.argv[1]):
        row = json.loads(line)
        if row['kind'] != 'next': continue
        try:
            start = datetime.fromisoformat(row['after']).astimezone(ZoneInfo(row['zone']))
            cron = croniter(row['expr'], start, second_at_beginning=True)
            cron.get_next(datetime, start_time=start)
            cases.append((cron, start))
        except Exception: pass
    began = time.perf_counter_ns()
    for cron, start in cases: cron.get_next(datetime, start_time=start)
    mean = (time.perf_counter_ns() - began) // max(1, len(cases))
    print(f'croniter, {len(cases)} of the rows that it can read: mean {mean} ns', flush=True)
    """
  let process = Process()
  process.executableURL = URL(fileURLWithPath: python)
  process.arguments = ["-c", program, rows]
  do {
    try process.run()
    process.waitUntilExit()
  } catch {
    print("croniter: \(error)")
  }
}

let path = CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : "cronos.jsonl"
let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
let formatter = ISO8601DateFormatter()
var zones: [String: Zone] = [:]
var cases: [(CronExpression, WallInstant, Zone, CronDayRule)] = []
for line in text.split(separator: "\n") {
  guard let row = try? JSONDecoder().decode(Row.self, from: Data(line.utf8)), row.kind == "next",
    let name = row.zone, let zone = zones[name] ?? zone(name),
    let expression = try? CronExpression(row.expr),
    let after = row.after.flatMap({ formatter.date(from: $0) })
  else { continue }
  zones[name] = zone
  cases.append(
    (
      expression, WallInstant(milliseconds: Int64(after.timeIntervalSince1970 * 1000) - 1), zone,
      row.days == "both" ? .all : .any
    ))
}
var sink: Int64 = 0
if !cases.isEmpty {
  measure("\(cases.count) rows of the oracle", rounds: 200, calls: cases.count) {
    for (expression, after, zone, rule) in cases {
      sink &+= expression.next(after: after, in: zone, days: rule)?.nanoseconds ?? 1
    }
  }
}
if CommandLine.arguments.count > 2 { croniter(python: CommandLine.arguments[2], rows: path) }
if let berlin = zone("Europe/Berlin"), let leap = try? CronExpression("0 0 29 2 1"),
  let never = try? CronExpression("30 2 30 2 *"), let first = try? CronExpression("0 0 1 * SUN#2")
{
  for (title, expression, year) in [
    ("29 February on a Monday after 2000", leap, 2000),
    ("29 February on a Monday after 2072, 40 years", leap, 2072),
    ("29 February on a Monday after 2176, beyond the table", leap, 2176),
    ("30 February, never", never, 2026), ("1st as second Sunday, never", first, 2026),
  ] {
    let after = WallInstant(milliseconds: (Int64(year) - 1970) * 31_556_952_000 + 6_000_000_000)
    measure(title, rounds: 20, calls: 1000) {
      for _ in 0..<1000 {
        sink &+= expression.next(after: after, in: berlin, days: .all)?.nanoseconds ?? 1
      }
    }
  }
  for text in ["Mon..Fri *-*-* 09:00:00", "*:0/5", "*-*~1 00:00", "Mon *-02-29 00:00:00"] {
    guard let expression = try? CalendarExpression(text) else { continue }
    measure("calendar '\(text)'", rounds: 20, calls: 1000) {
      for index in 0..<1000 {
        let after = WallInstant(milliseconds: 1_700_000_000_000 + Int64(index) * 3_600_000)
        sink &+= expression.next(after: after, in: berlin)?.nanoseconds ?? 1
      }
    }
  }
}
print("(\(sink & 1))")
