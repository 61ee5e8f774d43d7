import Testing

@testable import TaktImport

@Suite struct CronFieldsTests {
  /// source | what takt gets | days | dialects that take it
  @Test(arguments: [
    "09,39 * * * * | 09,39 * * * * | - | both", "*/5 * * * * | */5 * * * * | - | both",
    "0 0 */2 * 1 | 0 0 */2 * 1 | all | both", "0 0 1 * */2 | 0 0 1 * */2 | all | both",
    "0 0 1,15 * 5 | 0 0 1,15 * 5 | - | both", "0 0 *,1 * 5 | 0 0 *,1 * 5 | - | both",
    "0 0 * jan-mar sun | 0 0 * jan-mar sun | - | both", "*/90 * * * * | 0 * * * * | - | both",
    "0 0 * * 0-7 | 0 0 * * 0-7 | - | both", "0 0 * * 5-0 | 0 0 * * 5-0 | - | cronie",
    "0~30 2 * * * | H(0-30) 2 * * * | - | cronie", "~ * * * * | H(0-59) * * * * | - | cronie",
    "5/10 * * * * | - | - | none", "60 * * * * | - | - | none", "* 24 * * * | - | - | none",
    "L * * * * | - | - | none", "H * * * * | - | - | none", "* * ? * * | - | - | none",
    "30-10 * * * * | - | - | none", "* * * * sun-mon | * * * * sun-mon | - | both",
    "* * * * mon-sun | * * * * mon-sun | - | cronie",
    "*/0 * * * * | - | - | none", ", * * * * | - | - | none", "* * 15W * * | - | - | none",
    "99999999999999999999 * * * * | - | - | none",
  ])
  func `fields are read as cron reads them`(row: String) throws {
    let parts = row.split(separator: "|").map { $0.split(separator: " ").joined(separator: " ") }
    for dialect in CronDialect.allCases {
      let taken = parts[3] == "both" || parts[3] == dialect.rawValue
      let fields = try? CronFields(
        parts[0].split(separator: " ").map(String.init), dialect: dialect,
        features: ImportFeatures(hasConditions: false, hasDelayedEvents: false, hasCronDays: false))
      #expect((fields != nil) == taken, "\(dialect)")
      guard let fields else { continue }
      #expect(fields.expression == parts[1])
      #expect(fields.days ?? "-" == parts[2])
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
    let read = CommandText(text, readsPercent: true)
    #expect(read.command == command)
    #expect(read.input == input)
  }

  @Test(arguments: [
    ("/usr/local/bin/backup.sh --all", "backup"), ("cd /srv && ./run.py", "run"),
    (
      "test -x /usr/bin/certbot -a \\! -d /run/systemd/system && perl -e 'sleep int(rand(43200))' && certbot -q renew",
      "certbot"
    ),
    ("[ -x /a ] && /a/b c", "b"), ("nice -n 19 ionice -c3 /opt/x", "x"),
    ("FOO=1 python3 -u /x/y.py", "y"),
    ("flock -n /tmp/l rsync -a a b", "rsync"), ("true", "job"), ("", "job"), ("/", "job"),
  ])
  func `a job is called after the program that does the work`(command: String, name: String) {
    #expect(JobNames.valid(CommandText(command, readsPercent: true).suggestedName) == name)
  }
}
