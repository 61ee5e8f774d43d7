import Foundation
import TaktCore
import Testing

@testable import TaktImport

/// Sources from attackers, and broken ones.
@Suite struct HostileSourceTests {
  private static let crontab = """
    # a comment
    MAILTO="ops@example.org"
    RANDOM_DELAY = 5
    */5 8-17 1,15 jan-mar mon-fri root /usr/bin/a --x 'y' 100\\% > /dev/null
    @reboot anna cat%line%line
    0 5 * * * root cd / && flock -n /tmp/l timeout -k 5 1m nice /usr/bin/a >> /tmp/x 2>&1
    0 6 * * * root /usr/bin/b && curl -fsS -o /dev/null https://hc-ping.com/1-2
    0~30 3 * * * root test -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.daily; }

    """
  private static let timer = """
    [Unit]
    Description=A thing %i
    [Timer]
    OnCalendar=Mon..Fri *-*-1..7 18:00:00 Europe/Berlin
    OnBootSec=15min 20s
    OnUnitActiveSec=1d
    RandomizedDelaySec=1h30m
    Unit=x.service
    [Install]
    WantedBy=timers.target

    """
  private static let service = """
    [Unit]
    ConditionPathExists=|!/etc/x
    [Service]
    Type=oneshot
    User=anna
    Environment="A=b c" D=\\x41
    ExecStartPre=-/bin/true
    ExecStart=/usr/bin/x 'a b' $OPTS ${C}d \\
      --more "quoted \\" text" ; /usr/bin/y
    StandardInputText=one\\ntwo
    StandardInputData=c2Vj
    LimitNOFILE=1024:4096
    SuccessExitStatus=1 DATAERR SIGTERM
    Restart=on-failure

    """

  /// A text with a few bytes, words or lines changed, left out, doubled or moved.
  private static func mutated(_ text: String, _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = Array(text.utf8)
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      guard !bytes.isEmpty else { break }
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<7, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.remove(at: place)
      case 2:
        bytes.insert(
          contentsOf: Array("%\\\"'$,-/*~=@[]\n\r\t ".utf8).shuffled(using: &random).prefix(2),
          at: place)
      case 3: bytes.removeSubrange(place..<min(bytes.count, place + 20))
      case 4: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 30)], at: place)
      case 5: bytes.insert(contentsOf: Array("99999999999999999999".utf8), at: place)
      default: bytes.removeSubrange(place...)
      }
    }
    return bytes
  }

  /// Checks that every word is in the jobs or in the report, and that the result is a valid jobs
  /// file.
  private static func check(_ result: Importer.Result) throws {
    let silent = result.report.entries.filter {
      $0.sentence == "takt did not read this" || $0.sentence == "this is missing in the jobs"
    }
    #expect(
      silent.isEmpty, "\(silent.map { "\($0.token.place) \($0.token.text)" })\n\(result.text)")
    let snapshot = try ImportFixture.load(result.text)
    #expect(snapshot.jobs.count == result.jobs.count)
  }

  @Test(arguments: 0..<50) func `a mutated crontab is read or reported`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed) + 1)
    let fixture = try ImportFixture()
    fixture.options.isIdiomatic = seed % 2 == 0
    for kind in [SourceKind.cronD, .crontab, .supercronic, .anacrontab] {
      fixture.options.kind = kind
      for dialect in CronDialect.allCases {
        fixture.options.dialect = dialect
        for _ in 0..<13 {
          let bytes = Self.mutated(Self.crontab, &random)
          let result = Importer(
            fixture.options, tree: ImportTree(root: fixture.folder.path), machine: AnyAccounts()
          ).run([], standardInput: bytes)
          try Self.check(result)
        }
      }
    }
  }

  @Test(arguments: 0..<50) func `a mutated unit is read or reported`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed) + 1000)
    let fixture = try ImportFixture()
    for _ in 0..<100 {
      try fixture.write(Self.mutated(Self.timer, &random), to: "u/x.timer")
      try fixture.write(Self.mutated(Self.service, &random), to: "u/x.service")
      try Self.check(fixture.run("/u/x.timer"))
    }
  }

  @Test func `links never lead out of the tree`() throws {
    let fixture = try ImportFixture()
    try fixture.link("etc/cron.d/a", to: "/etc/hostname")
    try fixture.link("etc/cron.d/b", to: "../../../../../../../../etc/hostname")
    try fixture.link("etc/cron.d/loop", to: "loop")
    let result = fixture.run("/etc/cron.d")
    #expect(result.jobs.isEmpty)
    #expect(result.report.sources.isEmpty)
  }

  @Test func `a file that is too large is not read, and a huge line is`() throws {
    let fixture = try ImportFixture()
    try fixture.write(
      String(repeating: "* * * * * root /bin/true\n", count: 60_000), to: "etc/cron.d/large")
    #expect(
      fixture.run("/etc/cron.d/large").report.unreadable.first?.sentence == "larger than 1 MB")
    try fixture.write(
      "* * * * * root echo " + String(repeating: "x", count: 500_000) + "\n", to: "etc/cron.d/line")
    let result = fixture.run("/etc/cron.d/line")
    #expect(result.jobs.count == 1)
    #expect(try ImportFixture.load(result.text).jobs.count == 1)
  }

  @Test func `what is no file in a folder is said`() throws {
    let fixture = try ImportFixture()
    try fixture.write("0 1 * * * root /bin/true\n", to: "etc/cron.d/a")
    try fixture.makeFolder("etc/cron.d/folder")
    try fixture.link("etc/cron.d/gone", to: "/none")
    mkfifo(fixture.folder.appendingPathComponent("etc/cron.d/pipe").path, 0o600)
    let result = fixture.run("/etc/cron.d")
    #expect(result.jobs.count == 1)
    let sentence = "this is no regular file, and so it is not read"
    let places = result.report.notes.filter { $0.sentence == sentence }.map(\.place.file)
    #expect(
      places.map { $0.split(separator: "/").last } == ["gone", "pipe"], "\(result.report.notes)")
  }

  @Test(arguments: [nil, "tab"]) func `a binary file is no crontab`(name: String?) throws {
    let fixture = try ImportFixture()
    let text = "\u{7f}ELF\u{2}\u{1}\0\0\n0 1 * * * /bin/true\n"
    let path = try name.map { try fixture.write(text, to: $0) }
    let result = path.map { fixture.run($0) } ?? fixture.run(input: text)
    #expect(result.report.unreadable.map(\.sentence) == ["this is a binary file"])
    #expect(result.jobs.isEmpty && result.lost.isEmpty)
  }

  @Test func `a folder with too many names is read in part, and that is said`() throws {
    let fixture = try ImportFixture()
    for number in 0..<10_000 { try fixture.write("", to: "etc/cron.d/x\(number)") }
    #expect(fixture.run("/etc/cron.d").report.unreadable.isEmpty)
    try fixture.write("", to: "etc/cron.d/one-more")
    let result = fixture.run("/etc/cron.d")
    #expect(!result.report.isComplete)
    #expect(
      result.report.unreadable.map(\.sentence) == [
        "more than 10000 names; the others were not looked at"
      ])
  }

  @Test func `no more than ten thousand jobs are made, and that is said`() throws {
    let fixture = try ImportFixture()
    fixture.options.kind = .crontab
    let lines = String(repeating: "* * * * * true\n", count: 10_001)
    let result = fixture.run(input: lines)
    #expect(result.jobs.count == 10_000)
    #expect(
      result.report.unreadable.map(\.sentence) == [
        "there are more than 10000 jobs; import fewer files at once"
      ])
  }

  @Test(arguments: [SourceKind.cronD, .crontab, .supercronic, .anacrontab])
  func `a command of white space alone is one that the shell does the same with`(
    kind: SourceKind
  ) throws {
    let fixture = try ImportFixture()
    fixture.options.kind = kind
    let head =
      switch kind {
      case .cronD: "0 3 * * * root "
      case .anacrontab: "1 5 name "
      default: "0 3 * * * "
      }
    for command in ["\u{c}", "\u{c}\u{c}", "\u{2003}", "\u{b} \u{c}"] {
      let result = fixture.run(input: head + command + "\n")
      #expect(result.report.isComplete)
      #expect(try ImportFixture.load(result.text).jobs.count == 1, "\(result.text)")
    }
  }

  @Test(arguments: [
    ("", ":"), (" \t", ":"), ("\u{c}", "'\u{c}'"), (" \u{c}\u{c}", "'\u{c}'\u{c}"),
    ("\u{b} \u{c}", "'\u{b}' \u{c}"), (" true", " true"),
    ("\n \n", ":"), ("\n\u{c}", "'\u{c}'"),
  ])
  func `white space that is a word for the shell stays one`(command: String, expected: String) {
    #expect(CommandText.runnable(command) == expected)
  }

  @Test func `a user of white space is none`() throws {
    let fixture = try ImportFixture()
    fixture.options.kind = .cronD
    try FileManager.default.removeItem(at: fixture.folder.appendingPathComponent("etc/passwd"))
    let result = fixture.run(input: "* * * * * \u{c}\u{c} true\n* * * * * someone true\n")
    #expect(result.jobs.count == 1)
    #expect(try ImportFixture.load(result.text).jobs.count == 1, "\(result.text)")
  }

  @Test func `a limit of nothing is no limit of takt, where nothing could start with it`() throws {
    let fixture = try ImportFixture()
    try fixture.write("[Timer]\nOnCalendar=daily\n", to: "u/x.timer")
    try fixture.write(
      "[Service]\nLimitAS=0\nLimitCORE=0\nLimitFSIZE=0\nExecStart=/bin/x\n", to: "u/x.service")
    let result = fixture.run("/u/x.timer")
    #expect(result.lost == ["LimitAS=0: takt has no such limit"])
    #expect(try ImportFixture.load(result.text).jobs.count == 1, "\(result.text)")
  }

  @Test func `a service that may start once is not tried again`() throws {
    let fixture = try ImportFixture()
    try fixture.write("[Timer]\nOnCalendar=daily\n", to: "u/x.timer")
    try fixture.write(
      "[Unit]\nStartLimitBurst=1\n[Service]\nRestart=on-failure\nRestartSec=30\nExecStart=/bin/x\n",
      to: "u/x.service")
    let result = fixture.run("/u/x.timer")
    #expect(result.report.isComplete)
    #expect(
      result.changed == ["Restart=on-failure: one attempt for each run: StartLimitBurst is 1"])
    let job = try ImportFixture.load(result.text).jobs.first
    #expect(job?.execution.retry.attempts == 1, "\(result.text)")
  }

  @Test func `bytes that are no text are reported with their line`() throws {
    let fixture = try ImportFixture()
    try fixture.write(
      Array("* * * * * root /bin/a\n* * * * * root /bin/".utf8) + [0xff, 0x0a]
        + Array("* * * * * root x".utf8) + [0, 0x0a],
      to: "etc/cron.d/x")
    let result = fixture.run("/etc/cron.d/x")
    #expect(result.jobs.count == 1)
    #expect(result.report.entries(.lost).map(\.token.place.line) == [2, 3])
  }

  @Test func `the check finds a word that a reader passed over`() {
    let report = ImportReport()
    let source = SourceLines(file: "f", bytes: Array("one two # three\n# four\n".utf8))
    report.keep(source.lines[0].token(0..<3), as: "run", values: ["one"])
    CoverageCheck(report: report, texts: []).run(on: [source]) { _ in ["#"] }
    #expect(
      report.entries(.lost).map { "\($0.token.text): \($0.sentence)" } == [
        "one: this is missing in the jobs", "two: takt did not read this",
        "#: takt did not read this",
        "three: takt did not read this",
      ])
  }

  @Test func `a thousand drop-ins and units that name each other end`() throws {
    let fixture = try ImportFixture()
    for number in 0..<1000 {
      try fixture.write("[Timer]\nOnCalendar=daily\n", to: "u/x.timer.d/\(number).conf")
    }
    try fixture.write("[Timer]\nOnCalendar=daily\nUnit=a.target\n", to: "u/x.timer")
    try fixture.write("[Unit]\nWants=a.target b.target a.service\n", to: "u/a.target")
    try fixture.write("[Unit]\nWants=a.target\n", to: "u/b.target")
    try fixture.write("[Service]\nExecStart=/bin/true\n", to: "u/a.service")
    #expect(fixture.run("/u/x.timer").jobs.count == 1)
  }
}
