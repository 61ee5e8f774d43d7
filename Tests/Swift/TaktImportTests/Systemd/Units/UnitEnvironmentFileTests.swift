import TaktCore
import TaktSystem
import Testing

@testable import TaktConfig
@testable import TaktImport

/// Environment files, with the values that systemd 252 read.
@Suite struct UnitEnvironmentFileTests {
  @Test(arguments: [
    ("A=a$b", "a$b"), ("A=a#b", "a#b"), ("A=#x", "#x"), ("A=a`b`", "a`b`"), ("A=$(pwd)", "$(pwd)"),
    (#"A="a$b""#, "a$b"), (#"A="a`b""#, "a`b"), (#"A="a\$b""#, "a$b"), (#"A="a\"b""#, #"a"b"#),
    (#"A="a\\b""#, #"a\b"#), (#"A="a'b""#, "a'b"), (#"A='a"b'"#, #"a"b"#), (#"A='a\b'"#, #"a\b"#),
    ("A='$x'", "$x"), (#"A="a #b""#, "a #b"), ("A=a b", "a b"), ("A=a \t", "a"), (" A=a", "a"),
    ("A=", ""), ("A=''", ""), ("A=a\r", "a"), ("# It's\n\nA=a", "a"),
  ])
  func `what both read alike is kept`(text: String, value: String) {
    #expect(UnitEnvironmentFile.foreignLine(of: Array(text.utf8)) == nil)
    let source = SourceText(file: "", bytes: FileBytes(Array(text.utf8)))
    let reporter = Reporter(source, showsLines: false)
    #expect(EnvironmentText(source, reporter: reporter).values == ["A": value])
    #expect(UnitEnvironmentFile.variables(of: Array(text.utf8)) == ["A": value])
    #expect(reporter.errorCount == 0)
  }

  @Test(arguments: [
    "A=a #b", "A= b", "A=#x #y", #"A=a\b"#, "A=it's", "A='a' 'b'", "A='a' # b", #"A="a\nb""#,
    #"A="a\`b""#, #"A="a"#, #"A="a\""#, #"A=""#, "A='", "export A=a", "A = a", "noequals",
    "; comment", "TAKT_A=a", "A=a\u{1}", "\u{feff}A=a", "A=a\rB=b",
  ])
  func `what takt refuses or reads differently is not`(text: String) {
    #expect(UnitEnvironmentFile.foreignLine(of: Array(text.utf8)) == 1)
  }

  @Test(arguments: ["A=a\nB=b\nA=c", "A=a\n\n# It is\\\nB=b"])
  func `the line is named`(text: String) {
    #expect(UnitEnvironmentFile.foreignLine(of: Array(text.utf8)) == 3)
  }

  @Test func `the job with such a file is enabled`() throws {
    let fixture = try ImportFixture()
    try fixture.write("[Timer]\nOnCalendar=daily\n", to: "u/x.timer")
    try fixture.write(
      "[Service]\nType=oneshot\nEnvironmentFile=/etc/x\nExecStart=/bin/true\n", to: "u/x.service")
    try fixture.write("REPO=sftp:a@b#1\nPASSWORD='x$y`z'\n", to: "etc/x")
    let result = fixture.run("/u/x.timer")
    #expect(result.jobs.first?[.enabled] == nil)
    #expect(result.jobs.first?[.environmentFile] == .list([.text("/etc/x")]))
    #expect(result.lost.isEmpty, "\(result.lost)")
  }
}
