import Foundation
import TaktCore
import TaktTesting
import TaktTime
import Testing

/// Recurrences held against python-dateutil, in all zones with clock changes. `TAKT_RRULES` says how
/// many; default 400.
@Suite struct RecurrenceOracleTests {
  /// Reads `[text, zone, base]`, writes the next six instants; null where dateutil refuses the rule or
  /// takes too long for it. A skipped time is the end of its gap, a repeated one its first pass.
  private static let program = """
    import sys, json, signal
    from datetime import datetime, timedelta, timezone
    from zoneinfo import ZoneInfo
    from dateutil.rrule import rrulestr
    class Slow(Exception): pass
    def slow(*_): raise Slow()
    signal.signal(signal.SIGALRM, slow)
    # The thread that starts this program may have blocked all signals.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
    epoch = datetime(1970, 1, 1)
    def instant(local, zone):
        if zone is None: return int((local - epoch).total_seconds())
        seconds = int(local.replace(tzinfo=zone).timestamp())
        if datetime.fromtimestamp(seconds, zone).replace(tzinfo=None) == local: return seconds
        offset = lambda s: datetime.fromtimestamp(s, zone).utcoffset()
        low, high = seconds - 14400, seconds + 14400
        while high - low > 1:
            middle = (low + high) // 2
            if offset(middle) == offset(seconds - 14400): low = middle
            else: high = middle
        return high
    for line in sys.stdin:
        text, name, base = json.loads(line)
        zone = ZoneInfo(name) if name else None
        start = instant(epoch + timedelta(seconds=base), zone)
        times = []
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            for local in rrulestr(text.replace(' ', '\\n')):
                if local.year > 2261: break
                if local < epoch + timedelta(seconds=base - 100000): continue
                time = instant(local, zone)
                if time > start and time not in times: times.append(time)
                if len(times) == 6: break
        except Exception:
            times = None
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(json.dumps([start, times]))
    """

  private struct Answer: Decodable {
    var start: Int64
    var times: [Int64]?

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      start = try list.decode(Int64.self)
      times = try list.decodeIfPresent([Int64].self)
    }
  }

  @Test func `recurrences agree with python-dateutil`() throws {
    guard let python = TestProgram.python(with: "dateutil, zoneinfo") else {
      print("skipped: there is no Python with dateutil")
      return
    }
    let count = Int(ProcessInfo.processInfo.environment["TAKT_RRULES"] ?? "") ?? 400
    var generator = RecurrenceGenerator(seed: 5)
    let zones = [
      "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Beirut", "Europe/Dublin",
      "America/Sao_Paulo", "Pacific/Apia", "Asia/Kolkata",
    ]
    var rules: [(rule: RecurrenceGenerator.Rule, zone: String)] = []
    while rules.count < count {
      let rule = generator.next()
      // Below a day takt goes through both passes of a repeated hour, dateutil through one.
      let isLocal = rule.isOfDays && generator.random.oneIn(2)
      rules.append((rule, isLocal ? zones[generator.number(0...(zones.count - 1))] : ""))
    }
    let lines = rules.map { rule, zone in
      #"["\#(rule.textForDateutil)", "\#(zone)", \#(rule.base)]"#
    }
    let output = try #require(
      TestProgram.run(python, ["-c", Self.program], input: lines.joined(separator: "\n") + "\n"))
    let answers = try output.text.split(separator: "\n").map {
      try JSONDecoder().decode(Answer.self, from: Data($0.utf8))
    }
    try #require(answers.count == rules.count, "\(output.errors)")
    var compared = 0
    for ((rule, zone), answer) in zip(rules, answers) {
      guard let wanted = answer.times else { continue }
      compared += 1
      let found = try times(of: rule.text, in: zone, after: answer.start, count: wanted.count)
      #expect(found == wanted, "'\(rule.text)' in '\(zone)' after \(answer.start)")
    }
    print("dateutil: \(compared) rules agree, it refuses or gives up \(rules.count - compared)")
    #expect(compared > count / 2)
  }

  /// One more than wanted where the rule is over.
  private func times(
    of text: String, in zone: String, after start: Int64, count: Int
  ) throws -> [Int64] {
    let recurrence = try Recurrence.read(text).recurrence
    let zone = zone.isEmpty ? Zone.utc : try TestZones.named(zone)
    var instant = WallInstant(milliseconds: start * 1000)
    var times: [Int64] = []
    while times.count < (count < 6 ? count + 1 : 6),
      let next = recurrence.next(after: instant, in: zone, dst: DSTPolicy())
    {
      times.append(next.milliseconds / 1000)
      instant = next
    }
    return times
  }
}
