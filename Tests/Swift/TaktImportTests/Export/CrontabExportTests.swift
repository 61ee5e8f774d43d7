import Foundation
import TaktCore
import Testing

@testable import TaktImport

/// The behaviour of cron with an exported crontab. `Tests/moving/exported.py` does the same with
/// the real one.
@Suite struct CrontabExportTests {
  /// The command and the input that cron starts for a line: as `child_process` of its do_command.c,
  /// byte for byte.
  struct Started: Equatable {
    var command: [UInt8] = []
    var input: [UInt8] = []

    init(_ line: some Collection<UInt8>, _ dialect: CronDialect) {
      let (backslash, percent, lineEnd) = (
        UInt8(ascii: "\\"), UInt8(ascii: "%"), UInt8(ascii: "\n")
      )
      var rest = Array(line)[...]
      while let byte = rest.popFirst() {
        if byte == backslash, let next = rest.first, next == percent {
          command.append(rest.removeFirst())
        } else if byte == backslash, let next = rest.first, next == backslash {
          // Both are consumed together, so that the second is not part of a `\%`.
          rest.removeFirst()
          command += dialect == .debian ? [backslash] : [backslash, backslash]
        } else if byte == percent {
          break
        } else {
          command.append(byte)
        }
        if rest.isEmpty { return }
      }
      var isEscaped = false
      var needsLineEnd = false
      for byte in rest {
        var byte = byte
        if isEscaped {
          if byte != percent { input.append(backslash) }
        } else if byte == percent {
          byte = lineEnd
        }
        isEscaped = byte == backslash
        if !isEscaped {
          input.append(byte)
          needsLineEnd = byte != lineEnd
        }
      }
      if isEscaped { input.append(backslash) }
      if needsLineEnd { input.append(lineEnd) }
    }
  }

  private static let pieces = [
    "\\", "\\\\", "%", "\\%", "a", "b c", " ", "\t", "'", "\"", "$x", "#", "é", "'\u{301}",
    "%\u{301}",
    "\\\u{301}", "\r", "-", "|", "{{each.x}}", "{{{{each.y", "{{.Name}}", "\u{2028}", "d",
  ]

  private static func text(_ random: inout SeededGenerator, _ more: [String] = []) -> String {
    (0..<Int.random(in: 1...9, using: &random)).map { _ in
      (pieces + more).randomElement(using: &random) ?? ""
    }.joined()
  }

  private struct Sample {
    var command: String
    var input: String
  }

  private static func exported(
    _ samples: [Sample], _ dialect: CronDialect
  ) throws -> (lines: [String: [UInt8]], text: String, report: ExportReport) {
    var yaml = "defaults: {cwd: /, env: {HOME: /, MAILTO: ''}}\njobs:\n"
    for (number, sample) in samples.enumerated() {
      yaml += "  j\(number):\n    cron: '* * * * *'\n"
      for (key, text) in [("run", sample.command), ("stdin", sample.input)] where !text.isEmpty {
        yaml += "    \(key): \(YAMLWriter.scalar(EachBraces.escaped(text)))\n"
      }
    }
    var export = CrontabExport(
      try ImportFixture.load(yaml), dialect: dialect, accounts: AnyAccounts())
    let result = export.result(header: "test")
    let text = result.files[0].text
    var lines: [String: [UInt8]] = [:]
    var name = ""
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      if line.starts(with: "# j".utf8) {
        name = String(decoding: line.dropFirst(2), as: UTF8.self)
      } else if line.starts(with: "* * * * * ".utf8) {
        // Blanks before the command are not part of it.
        lines[name] = Array(line.dropFirst(10).drop { $0 == 0x20 || $0 == 0x09 })
      }
    }
    return (lines, text, result.report)
  }

  @Test(arguments: CronDialect.allCases)
  func `cron starts two thousand exported commands as they are, or they are reported`(
    dialect: CronDialect
  ) throws {
    var random = SeededGenerator(seed: 45)
    let samples = (0..<2000).map { number in
      Sample(
        command: "c" + Self.text(&random, number % 10 == 0 ? ["\n"] : []),
        input: number % 2 == 0 ? "" : Self.text(&random, ["\n"]))
    }
    let (lines, _, report) = try Self.exported(samples, dialect)
    let lost = Set(report.lines.filter { !$0.isKept }.map(\.job))
    var count = 0
    for (number, sample) in samples.enumerated() {
      let name = "j\(number)"
      guard let line = lines[name] else {
        #expect(lost.contains(name), "\(sample)")
        // Every command for Debian's cron that has one line fits in a line.
        let isLong = sample.command.unicodeScalars.dropFirst().contains("\n")
        #expect(isLong || dialect == .cronie || sample.input.contains("\\"), "\(sample)")
        continue
      }
      count += 1
      let started = Started(line, dialect)
      var command = sample.command
      while command.utf8.last == 0x0a { command.unicodeScalars.removeLast() }
      var input = sample.input
      if !input.isEmpty, input.utf8.last != 0x0a { input += "\n" }
      #expect(started.command == Array(command.utf8), "\(sample)")
      #expect(started.input == Array(input.utf8), "\(sample)")
    }
    #expect(count > 1200)
  }

  @Test(
    arguments: [
      (#"echo A1 \%a; echo tail"#, #"echo A1 \\\%a; echo tail"#, nil),
      (#"x\\y"#, #"x\\\y"#, #"x\\y"#), (#"a \n \"#, #"a \n \"#, #"a \n \"#),
      ("date +%F", #"date +\%F"#, #"date +\%F"#), ("  x\n", "x", "x"), ("x\r", "x\r", "x\r"),
      ("-x", "-x", nil), ("a\r\n* * * * * b", nil, nil),
    ] as [(String, String?, String?)])
  func `a command is written for its cron`(command: String, debian: String?, cronie: String?) throws
  {
    for (dialect, expected) in [(CronDialect.debian, debian), (.cronie, cronie)] {
      let (lines, _, report) = try Self.exported([Sample(command: command, input: "")], dialect)
      #expect(lines["j0"].map { String(decoding: $0, as: UTF8.self) } == expected, "\(dialect)")
      #expect(report.lines.contains { $0.key == "run" && !$0.isKept } == (expected == nil))
    }
  }

  @Test(
    arguments: [
      ("\n", "%%"), ("a\n", "%a"), ("a\n\n", "%a%%"), ("a\\\n", #"%a\"#), ("\\%b", #"%\\%b"#),
      ("\\\n", nil), ("a\\\nb", nil),
    ] as [(String, String?)])
  func `an input is written so that cron reads it`(input: String, expected: String?) throws {
    for dialect in CronDialect.allCases {
      let (lines, _, report) = try Self.exported([Sample(command: "x", input: input)], dialect)
      #expect(lines["j0"].map { String(decoding: $0, as: UTF8.self) } == expected.map { "x" + $0 })
      #expect(report.lines.contains { $0.key == "stdin" && !$0.isKept } == (expected == nil))
    }
  }

  @Test(arguments: CronDialect.allCases)
  func `an exported crontab that is imported again has the same commands`(dialect: CronDialect)
    throws
  {
    var random = SeededGenerator(seed: 46)
    let samples = (0..<300).map { number in
      Sample(
        command: "c" + Self.text(&random), input: number % 2 == 0 ? "" : Self.text(&random, ["\n"]))
    }
    let (lines, text, _) = try Self.exported(samples, dialect)
    let fixture = try ImportFixture()
    fixture.options.kind = .crontab
    fixture.options.dialect = dialect
    let snapshot = try ImportFixture.load(fixture.run(input: text).text)
    #expect(snapshot.jobs.count == lines.count)
    for job in snapshot.jobs {
      let sample = samples[try #require(Int(job.name.text.dropFirst()))]
      #expect(job.action == .shell(sample.command))
      let input =
        sample.input.utf8.last == 0x0a || sample.input.isEmpty ? sample.input : sample.input + "\n"
      #expect(job.execution.stdin ?? "" == input)
    }
  }

  @Test(arguments: CronDialect.allCases)
  func `a variable is written so that cron reads its value, or is reported`(dialect: CronDialect)
    throws
  {
    let values = [
      "", "a", "two words", " lead", "trail ", "\"a'b", "'q'", "\"q\"", "it's", "a\"b", "a\"", "'",
      "\"",
      "x\\y%z", "#x", "a=b", "é", "'\u{301}", "\"'a'\"", "'\"a\"'", "trail\r", "a\tb", "\u{b}x",
      String(repeating: "x", count: 995), String(repeating: "x", count: 2000), "a\r\nB=evil",
    ]
    for value in values {
      let yaml =
        "jobs: {j: {cron: '* * * * *', run: x, cwd: /, env: {HOME: /, V: "
        + "\(YAMLWriter.scalar(value))}}}\n"
      var export = CrontabExport(
        try ImportFixture.load(yaml), dialect: dialect, accounts: AnyAccounts())
      let result = export.result(header: "test")
      let fixture = try ImportFixture()
      fixture.options.kind = .crontab
      fixture.options.dialect = dialect
      let job = try #require(
        try ImportFixture.load(fixture.run(input: result.files[0].text).text).jobs.first)
      let isLost = result.report.lines.contains { $0.key == "env" && !$0.isKept }
      #expect(job.execution.environment["V"] == (isLost ? nil : value), "\(value.debugDescription)")
      #expect(job.execution.environment["B"] == nil)
    }
  }
}
