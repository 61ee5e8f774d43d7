import TaktCore
import Testing

@testable import TaktImport

/// The variables of a service, with systemd's rules and takt's result.
@Suite struct ServiceVariablesTests {
  private func result(_ service: String, file: String? = nil) throws -> Importer.Result {
    let fixture = try ImportFixture()
    if let file { try fixture.write(file, to: "etc/default/x") }
    try fixture.write("[Timer]\nOnCalendar=daily\n", to: "u/x.timer")
    try fixture.write("[Service]\nType=oneshot\n\(service)\n", to: "u/x.service")
    return fixture.run("/u/x.timer")
  }

  private func values(_ value: DraftValue?) -> [String: String] {
    guard case .map(let entries)? = value else { return [:] }
    return Dictionary(entries.map { ($0.key, $0.value.texts.joined()) }) { $1 }
  }

  @Test(arguments: [
    ("RuntimeDirectory=a", ["RUNTIME_DIRECTORY": "/run/a"]),
    (
      "StateDirectory=a b/c\nStateDirectory=d",
      ["STATE_DIRECTORY": "/var/lib/a:/var/lib/b/c:/var/lib/d"]
    ),
    ("CacheDirectory='a b'", ["CACHE_DIRECTORY": "/var/cache/a b"]),
    ("LogsDirectory=%p", ["LOGS_DIRECTORY": "/var/log/x"]),
    ("ConfigurationDirectory=a:link", ["CONFIGURATION_DIRECTORY": "/etc/a"]),
    ("CacheDirectory=a//./b/", ["CACHE_DIRECTORY": "/var/cache/a/b"]),
    ("CacheDirectory=a\nCacheDirectory=", [:]), ("CacheDirectory=/a ../b", [:]),
    ("CacheDirectory=a\nEnvironment=CACHE_DIRECTORY=/srv", ["CACHE_DIRECTORY": "/srv"]),
    ("CacheDirectory=a\nUnsetEnvironment=CACHE_DIRECTORY", [:]),
  ])
  func `the variable of a folder that systemd makes is kept`(
    service: String, variables: [String: String]
  ) throws {
    let result = try result(service + "\nExecStart=/bin/true")
    #expect(values(result.jobs.first?[.environment]) == variables)
    _ = try ImportFixture.load(result.text)
    #expect(result.jobs.first?[.enabled] == nil)
  }

  @Test func `a folder for logs is to be made, like the others`() throws {
    let result = try result("LogsDirectory=a\nExecStart=/bin/true")
    #expect(result.report.losses(.changesRun).map(\.token.text) == ["LogsDirectory=a"])
  }

  @Test(arguments: [
    ("Runtime", "/run/user/1000/a"), ("Cache", "/home/anna/.cache/a"),
    ("Configuration", "/home/anna/.config/a"), ("State", nil), ("Logs", nil),
  ])
  func `the folders of a user are that user's, and a job is disabled where nobody knows them`(
    kind: String, path: String?
  ) throws {
    let fixture = try ImportFixture()
    fixture.options.user = "anna"
    try fixture.write("[Timer]\nOnCalendar=daily\n", to: "u/x.timer")
    try fixture.write("[Service]\n\(kind)Directory=a\nExecStart=/bin/true\n", to: "u/x.service")
    let result = fixture.run("/u/x.timer")
    let job = try #require(result.jobs.first)
    let name = "\(kind.uppercased())_DIRECTORY"
    #expect(values(job[.environment])[name] == path)
    #expect(job[.enabled] == (path == nil ? .word("false") : nil))
    #expect(
      result.lost == [
        "\(kind)Directory=a: "
          + (path == nil
            ? "only systemd knows the value of $\(name); the job is disabled"
            : "takt makes no folders: make \(path ?? "") yourself"
              + (kind == "Runtime" ? ", after each boot" : ""))
      ])
  }

  @Test(
    arguments: [
      (#"Environment="TWO='two two' too""#, ["two two", "too"]),
      (#"Environment="TWO=\"a  b\"c '' \\\\d""#, ["a  bc", "", #"\d"#]),
      (#"Environment="TWO='$HOME ${HOME}'""#, ["$HOME ${HOME}"]),
      (#"Environment="TWO='not closed""#, ["not closed"]),
    ] as [(String, [String])])
  func `quotes in a variable that is split make words`(
    environment: String, words: [String]
  ) throws {
    let result = try result(environment + "\nExecStart=/usr/bin/printf <%%s> $TWO")
    #expect(
      result.jobs.first?[.run]
        == .list((["/usr/bin/printf", "<%s>"] + words).map(DraftValue.text)), "\(result.text)")
    #expect(result.lost.isEmpty, "\(result.lost)")
  }

  @Test(arguments: [#"TWO="a 'b c'""#, #"TWO='"b c"'"#])
  func `the value of a file is not written out, and the job is disabled`(file: String) throws {
    let result = try result(
      "EnvironmentFile=/etc/default/x\nExecStart=/usr/bin/printf $TWO", file: file)
    #expect(result.jobs.first?[.enabled] == .word("false"))
    #expect(result.lost.count == 1 && !result.text.contains("b c"), "\(result.text)")
  }

  @Test func `written words are used with variables that a shell replaces`() throws {
    let result = try result(
      "Environment=\"TWO='a b'\" ONE=c\nExecStart=/bin/x $TWO $ONE ${TWO}")
    #expect(
      result.jobs.first?[.run] == .text(#"set -f; exec /bin/x 'a b' $ONE "${TWO}""#))
    #expect(result.changed.isEmpty, "\(result.changed)")
  }

  @Test(arguments: [
    ("PassEnvironment=TWO", true), ("EnvironmentFile=-/etc/default/none", true), ("", false),
    ("PassEnvironment=ONE", false),
  ])
  func `quotes that nobody knows of are said`(environment: String, isSaid: Bool) throws {
    let result = try result(environment + "\nExecStart=/bin/x $TWO")
    #expect(result.jobs.first?[.run] == .text("set -f; exec /bin/x $TWO"))
    let sentence = "ExecStart=/bin/x $TWO: $TWO is split at blanks, even between quotes"
    #expect(result.changed.contains(sentence) == isSaid, "\(result.changed)")
  }

  @Test(arguments: [
    ("ExecStopPost=/bin/sh -c 'echo $SERVICE_RESULT'", "SERVICE_RESULT"),
    ("ExecStopPost=/bin/x ${EXIT_CODE}", "EXIT_CODE"),
    ("ExecStop=/bin/x $EXIT_STATUS", "EXIT_STATUS"),
    ("ExecStartPost=/bin/x $MAINPID", "MAINPID"),
    ("ExecStartPre=/bin/x $INVOCATION_ID", "INVOCATION_ID"),
    (
      "LoadCredential=a:/etc/a\nExecStartPre=/bin/x ${CREDENTIALS_DIRECTORY}/a",
      "CREDENTIALS_DIRECTORY"
    ),
    ("ExecCondition=/bin/x $TRIGGER_UNIT", "TRIGGER_UNIT"),
  ])
  func `a job that needs a variable of systemd is disabled`(service: String, name: String) throws {
    let result = try result("ExecStart=/bin/true\n" + service)
    #expect(result.jobs.first?[.enabled] == .word("false"))
    #expect(
      result.lost.map {
        $0.hasSuffix(": only systemd knows the value of $\(name); the job is disabled")
      } == [true], "\(result.lost)")
    #expect(!result.report.isComplete)
  }

  @Test(arguments: [
    "ExecStart=/bin/sh -c 'x; EXIT_CODE=$$?; exit $$EXIT_CODE'",
    "ExecStopPost=/bin/sh -c 'EXIT_CODE=1; echo $$EXIT_CODE'",
    "ExecStopPost=/bin/x $EXIT_CODES ${EXIT_STATUS_2}", "ExecReload=/bin/kill $MAINPID",
    "Environment=MAINPID=5\nExecStop=/bin/x $MAINPID", "ExecStopPost=/bin/x MAINPID",
    "ExecStartPre=/bin/x ${CREDENTIALS_DIRECTORY}",
  ])
  func `a job that needs none is not`(service: String) throws {
    let result = try result("ExecStart=/bin/true\n" + service)
    #expect(result.jobs.first?[.enabled] == nil)
    #expect(result.lost.isEmpty, "\(result.lost)")
  }
}
