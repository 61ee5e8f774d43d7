import TaktCore
import TaktTime
import Testing

@testable import TaktImport

@Suite struct CronFieldsTests {
  /// source | takt's fields for Debian's cron | for cronie. `-`: cron refuses it; `never`: no time
  /// matches; after `days`, the value of that key. Tried with both programs.
  @Test(arguments: [
    "09,39 * * * * | 09,39 * * * * | 09,39 * * * *",
    "*/5 * * * * | */5 * * * * | */5 * * * *",
    "*/90 * * * * | 0 * * * * | 0 * * * *",
    "0 0 */2 * 1 | 0 0 */2 * 1 days cron | 0 0 */2 * 1 days cron",
    "0 0 1 * */2 | 0 0 1 * */2 days cron | 0 0 1 * */2 days cron",
    "0 0 1,15 * 5 | 0 0 1,15 * 5 | 0 0 1,15 * 5",
    "0 0 *,1 * 5 | 0 0 *,1 * 5 | 0 0 *,1 * 5",
    "0 0 * jan-mar sun | 0 0 * jan-mar sun | 0 0 * jan-mar sun",
    "0 0 * * 1-fri | 0 0 * * 1-fri | 0 0 * * 1-fri",
    "0-0 0-0 * * 0-0 | 0-0 0-0 * * 0-0 | 0-0 0-0 * * 0-0",
    "0 0 * * 0-7 | 0 0 * * 0-7 | 0 0 * * 0-7",
    "* * * * sun-mon | * * * * sun-mon | * * * * sun-mon",
    "0 0 * * 5-0 | never | 0 0 * * 5-0",
    "0 0 * * 7-0 | never | 0 0 * * 7-0",
    "* * * * mon-sun | never | * * * * mon-sun",
    "0 0 * * 1,5-0 | 0 0 * * 1 | 0 0 * * 1,5-0",
    "30-10 * * * * | never | never",
    "5,30-10 * * * * | 5 * * * * | 5 * * * *",
    "0 0 1 * */2,5-0 | 0 0 1 * 0,2,4,6 days all | 0 0 1 * */2,5-0 days cron",
    "0~30 2 * * * | 0 2 * * * | H(0-30) 2 * * *",
    "~ * * * * | - | H(0-59) * * * *",
    "10~ * * * * | 10 * * * * | H(10-59) * * * *",
    "*5 * * * * | * * * * * | -",
    "*/5-3 * * * * | 0,5,10,15,20,25,30,35,40,45,50,55 * * * * | -",
    "1-5/2/3 * * * * | 1,3,5 * * * * | -",
    "1-2-3 * * * * | 1,2 * * * * | -",
    "0 0 31 2 * | never | never",
    "5/10 * * * * | - | -", "60 * * * * | - | -", "* 24 * * * | - | -", "* * 0 * * | - | -",
    "L * * * * | - | -", "H * * * * | - | -", "* * ? * * | - | -", "*/0 * * * * | - | -",
    ", * * * * | - | -", "1, * * * * | - | -", "* * 15W * * | - | -", "+1 * * * * | - | -",
    "0x5 * * * * | - | -", "*/5x * * * * | - | -", "5-10/ * * * * | - | -",
    "* * * * monday | - | -", "99999999999999999999 * * * * | - | -",
  ])
  func `fields are read as cron reads them`(row: String) throws {
    let parts = row.split(separator: "|").map { $0.split(separator: " ").joined(separator: " ") }
    for (dialect, expected) in zip([CronDialect.debian, .cronie], parts.dropFirst()) {
      let found: String
      do throws(CronFields.Refusal) {
        let fields = try CronFields(
          parts[0].split(separator: " ").map(String.init), dialect: dialect)
        let days = fields.days.map { " days \($0.rawValue)" } ?? ""
        found = fields.emptiness == nil ? fields.expression + days : "never"
      } catch {
        found = "-"
      }
      #expect(found == expected, "\(dialect)")
    }
  }

  /// Each value that a field may have, against cron's own way of filling its bits.
  @Test func `a range means the same values to takt`() throws {
    for low in 0...7 {
      for high in 0...7 {
        let fields = try CronFields(["0", "0", "*", "*", "\(low)-\(high)"], dialect: .cronie)
        let top = low > high && high == 0 ? 7 : high
        let expected = low <= top ? Set((low...top).map { $0 % 7 }) : []
        guard fields.emptiness == nil else {
          #expect(expected.isEmpty)
          continue
        }
        let expression = try CronExpression(fields.expression)
        var instant = WallInstant(milliseconds: 0)
        var days: Set<Int> = []
        for _ in 0..<14 {
          instant = try #require(expression.next(after: instant, in: .utc))
          // 1 January 1970 was a Thursday.
          days.insert(Int(instant.milliseconds / 86_400_000 + 4) % 7)
        }
        #expect(days == expected, "\(low)-\(high)")
      }
    }
  }

  @Test(
    arguments: [
      (#"date +\%d"#, "date +%d", nil), ("cat%a%b", "cat", "a\nb\n"), ("cat%", "cat", ""),
      (#"cat%50\% of it"#, "cat", "50% of it\n"), (#"echo 'a%b'"#, "echo 'a", "b'\n"),
      (#"echo \\%x"#, #"echo \\"#, "x\n"), (#"sed s/a\\b/c/"#, #"sed s/a\\b/c/"#, nil),
      (#"a%\n\"#, "a", "\\n\\\n"),
    ] as [(String, String, String?)])
  func `a percent sign ends the command`(text: String, command: String, input: String?) {
    let read = CommandText(text, dialect: .cronie)
    #expect(read.command == command)
    #expect(read.input == input)
    let plain = CommandText(text, dialect: nil)
    #expect(plain.command == text)
    #expect(plain.input == nil)
  }

  @Test func `Debian's cron takes one of two backslashes`() {
    let read = CommandText(#"sed s/a\\b\n/c/ \%x \\%y\\z"#, dialect: .debian)
    #expect(read.command == #"sed s/a\b\n/c/ %x \"#)
    #expect(read.input == "y\\\\z\n")
  }

  /// line | name | value with Debian's cron | with cronie. `-`: not a variable.
  @Test(
    arguments: [
      ("A=b", "A", "b", "b"), ("  A =  b c  ", "A", "b c", "b c"), ("A=", "A", nil, ""),
      ("A=\"\"", "A", "", ""), ("A=\"two words \"", "A", "two words", "two words "),
      ("A='x' ", "A", "x", "x"), ("A='x'y", "A", nil, nil), ("A=\"x\" \"y\"", "A", nil, nil),
      ("A=x \"y\"", "A", "x \"y\"", "x \"y\""), ("\"A B\"=c", "A B", "c", "c"),
      ("\"A=b\"=c", "", nil, nil), ("\"A\"b=c", "", nil, nil), ("A='b", "A", nil, nil),
      ("A=\"'x'\"", "A", "x", "'x'"), ("A B=c", "", nil, nil), ("A", "", nil, nil),
      ("* * * * * x=y", "", nil, nil), ("A==b", "A", "=b", "=b"),
    ] as [(String, String, String?, String?)])
  func `a variable is read as cron reads it`(
    text: String, name: String, debian: String?, cronie: String?
  ) throws {
    let line = try #require(SourceLines(file: "f", bytes: Array(text.utf8)).lines.first)
    let trimmed = try #require(line.trimmed)
    for (dialect, value) in [(CronDialect.debian, debian), (.cronie, cronie)] {
      let variable = CronVariables.read(line, in: trimmed, dialect: dialect)
      #expect(variable?.value == value, "\(dialect)")
      if variable != nil { #expect(variable?.name == name) }
    }
  }
}
