import TaktTime
import Testing

@testable import TaktImport

@Suite struct UnitValueTests {
  @Test(arguments: [
    ("90", "1m30s"), ("5min 20s", "5m20s"), ("1h30m", "1h30m"), ("12h", "12h"), ("1.5h", "1h30m"),
    ("100ms", "100ms"), ("1us", "1ms"), ("2weeks", "14d"), ("1M", "30d10h30m"), ("0", "0s"),
    ("60m", "1h"), (" 6000 ", "1h40m"), ("infinity", "infinite"), ("", "-"), ("x", "-"),
    ("5 parsecs", "-"),
    ("-5", "-"), ("1..5", "-"), ("99999999999999999999y", "36600d"),
  ])
  func `a length of time`(text: String, expected: String) {
    let found =
      switch UnitValue.span(text) {
      case .infinite?: "infinite"
      case .duration(let duration)?: DurationText.format(duration)
      case nil: "-"
      }
    #expect(found == expected)
  }

  @Test(
    arguments: [
      (#"/bin/a b  'c d' "e f""#, ["/bin/a", "b", "c d", "e f"]), (#"a\x20b"#, ["a b"]),
      (#"a"b c"d"#, ["ab cd"]), (#"'' """#, ["", ""]), (#"\s\t"#, [" \t"]),
      (#"a \; b"#, ["a", #"\;"#, "b"]),
      (#"\u00e4\101"#, ["äA"]), (#"'it\'s'"#, ["it's"]), ("", []),
    ] as [(String, [String])])
  func `words are split as systemd splits them`(text: String, words: [String]) {
    #expect(UnitValue.words(text) == words)
  }

  @Test(arguments: ["'a", "\"", "a\\", #"\x4"#, #"\xzz"#, #"\x00"#])
  func `a quote or an escape that does not end is no value`(text: String) {
    #expect(UnitValue.words(text) == nil)
  }

  @Test(arguments: [
    ("%i", "home-a"), ("%I", "home/a"), ("%n", "pg_dump@home-a.timer"), ("%N", "pg_dump@home-a"),
    ("%p", "pg_dump"), ("%f", "/home/a"), ("%%", "%"), ("100%", "100%"), ("%t/x", "/run/x"),
    ("%u %h", "root /root"),
  ])
  func `specifiers`(text: String, expected: String) {
    let unit = Unit(name: "pg_dump@home-a.timer", entries: [], files: [])
    #expect(Specifiers(unit: unit, manager: .machine).expand(text).text == expected)
  }

  @Test func `a specifier that only the machine knows is named`() {
    let unit = Unit(name: "a.timer", entries: [], files: [])
    #expect(Specifiers(unit: unit, manager: .machine).expand("%H-%m").unknown == ["%H", "%m"])
  }
}
