import Foundation
import TaktCore
import Testing
import TaktTime

@Suite struct CroniterTests {
  private static let program = """
    import sys, json
    from datetime import datetime, timezone
    from croniter import croniter
    for line in sys.stdin:
        expr, base = json.loads(line)
        times = []
        try:
            start = datetime.fromtimestamp(base, timezone.utc)
            cron = croniter(expr, start, second_at_beginning=True, max_years_between_matches=60)
            for _ in range(5):
                times.append(int(cron.get_next(datetime).timestamp()))
        except Exception as error:
            if type(error).__name__ != 'CroniterBadDateError':
                times = None
        print(json.dumps(times))
    """

  @Test func `cron expressions agree with croniter in UTC`() throws {
    guard let python = TestProgram.python(with: "croniter") else {
      print("skipped: there is no Python with croniter")
      return
    }
    var generator = CronGenerator(seed: 7)
    generator.isWhole = false
    var cases: [(text: String, base: Int64)] = []
    while cases.count < 2500 {
      let base = Int64(generator.number(0...3_500_000_000))
      cases.append((generator.next().text, base))
    }
    let lines = try cases.map { text, base in
      let theirs = text.split(separator: " ").enumerated().map { index, field in
        // The last Friday is 5L here and L5 there.
        let isLastDay = index > 3 && field.count == 2 && field.last == "L"
        return isLastDay ? "L\(field.first ?? "0")" : String(field)
      }
      let expression = try JSONEncoder().encode(theirs.joined(separator: " "))
      return "[\(String(decoding: expression, as: UTF8.self)), \(base)]"
    }
    let output = try #require(
      TestProgram.run(python, ["-c", Self.program], input: lines.joined(separator: "\n") + "\n"))
    let answers = try output.text.split(separator: "\n").map {
      try JSONDecoder().decode([Int64]?.self, from: Data($0.utf8))
    }
    try #require(answers.count == cases.count, "\(output.errors)")
    var compared = 0
    for ((text, base), answer) in zip(cases, answers) {
      guard let answer else { continue }
      compared += 1
      let times = try times(of: text, after: base, count: answer.count < 5 ? answer.count + 1 : 5)
      #expect(times == answer, "'\(text)' after \(base)")
    }
    print("croniter: \(compared) expressions agree, it refuses \(cases.count - compared)")
    #expect(compared >= 2000)
  }

  private func times(of text: String, after base: Int64, count: Int) throws -> [Int64] {
    let expression = try CronExpression(text)
    var instant = WallInstant(milliseconds: base * 1000)
    var times: [Int64] = []
    while times.count < count,
      let next = expression.next(after: instant, in: .utc, days: .any)
    {
      times.append(next.milliseconds / 1000)
      instant = next
    }
    return times
  }
}
