import TaktCore
import Testing

@testable import TaktImport

/// Waits for a random time before the work of a command.
@Suite struct RandomSleepTests {
  @Test(arguments: [
    ("/usr/bin/sleep $((RANDOM%300)) && /bin/true", 300, "/bin/true"),
    ("sleep \"$((RANDOM % 300))\"; x", 300, "x"),
    ("sleep $(( ( RANDOM % 10 ) + 1 ))m; x", 600, "sleep 60; x"),
    ("sleep $((10 + RANDOM%300)) >/dev/null 2>&1 && x", 300, "sleep 10 && x"),
    ("sleep $((RANDOM%43200)); x", 32_768, "x"),
    ("sleep $(shuf -i 0-300 -n 1) && x", 300, "x"),
    ("sleep `shuf -n1 -i 60-300`; x", 240, "sleep 60; x"),
    ("sleep $(shuf -i 0-300 | head -n 1); x", 300, "x"),
    ("bash -c 'sleep $[RANDOM%300]s' && x", 300, "x"),
    ("/bin/bash -c 'sleep ${RANDOM}; x'", 32_768, "/bin/bash -c 'x'"),
    ("sleep $(( $(od -vAn -N2 -tu2 < /dev/urandom) % 300 )); x", 300, "x"),
    ("sleep $(od -An -N1 -tu1 /dev/urandom) ; x", 256, "x"),
    ("perl -e \"sleep rand 3600\" && x", 3600, "x"),
    ("perl -e 'sleep(int(rand(3600)));'; x", 3600, "x"),
    ("python3 -c 'import random; import time; time.sleep(random.random() * 3600)' && x", 3600, "x"),
    ("sleep $(python3 -c \"import random; print(random.randint(0, 300))\"); x", 300, "x"),
    ("sleep $(awk 'BEGIN{srand(); print int(rand()*300)}'); x", 300, "x"),
    ("test -x /a && perl -e 'sleep int(rand(60))' && x", 60, "test -x /a && x"),
    ("[ -x /a ] || exit 0; sleep $((RANDOM%60)); x", 60, "[ -x /a ] || exit 0; x"),
    ("test -x /a || { sleep $((RANDOM % 60)); x; }", 60, "test -x /a || { x; }"),
    ("if [ -x /a ]; then sleep $((RANDOM%60)); x; fi", 60, "if [ -x /a ]; then x; fi"),
  ])
  func `a wait is taken out of any shell's command`(command: String, seconds: Int, rest: String) {
    let sleep = RandomSleep(in: command, shell: .plain)
    #expect(sleep?.seconds == seconds)
    #expect(sleep?.rest == rest)
  }

  @Test(arguments: [
    "sleep $[RANDOM%300]; x", "sleep $(($RANDOM % 300)) && x", "sleep $RANDOM; x",
    "sleep $(expr $RANDOM % 300) && x",
  ])
  func `dash does not know these`(command: String) {
    #expect(RandomSleep(in: command, shell: .plain) == nil)
    #expect(RandomSleep(in: command, shell: .bash)?.rest == "x")
  }

  @Test(arguments: [
    // The values are not random, or not equally likely.
    "RANDOM=5; sleep $((RANDOM%100)); x", "export RANDOM=5; sleep $((RANDOM%100)); x",
    "sleep ${RANDOM:0:2}m ; x", "sleep $((RANDOM*2)); x",
    // awk without a seed always draws the same.
    "sleep $(awk 'BEGIN{print int(rand()*300)}'); x",
    // A number with a sign may be below zero.
    "sleep $(( $(od -An -N4 -td4 /dev/urandom) % 300 )); x",
    // The wait is not before the work, or something depends on it.
    "backup && sleep $((RANDOM%300)) && upload", "sleep $((RANDOM%300)) & x",
    "for i in 1 2; do sleep $((RANDOM%300)); x; done", "test -x /a && sleep $((RANDOM%300)); x",
    "test -x /a || sleep $((RANDOM%300)) && x", "if [ -x a ]; then sleep $((RANDOM%300)); fi",
    "sleep $((RANDOM%300)); echo $?", "work; sleep $((RANDOM%300))",
    "D=`work` && sleep $((RANDOM%300)); x",
    // No number of seconds.
    "sleep $((RANDOM%99999999999999999999)); x", "sleep $((RANDOM%0)); x",
    "python3 -c 'import random, time; time.sleep(random.randint(-9223372036854775808, 9))'; x",
  ])
  func `a wait that jitter may not do alike stays`(command: String) {
    #expect(RandomSleep(in: command, shell: .bash) == nil)
    #expect(RandomSleep.isMentioned(in: command))
  }

  @Test func `an option about sleeps is none`() {
    #expect(!RandomSleep.isMentioned(in: "certbot renew --no-random-sleep-on-renew"))
  }

  @Test(arguments: [true, false]) func `each random wait is spoken of`(jitter: Bool) throws {
    let fixture = try ImportFixture()
    fixture.options.turnsSleepsIntoJitter = jitter
    let result = fixture.run(
      input: """
        SHELL=/bin/bash
        0 1 * * * sleep $((RANDOM\\%300)) && /bin/true
        0 1 * * * sleep ${RANDOM:0:2}m; /bin/true
        @reboot sleep $((RANDOM\\%300)) && /bin/true

        """)
    let notes = result.report.notes.map { note in
      "\(note.place.line) \(note.sentence.contains("--jitter") ? "jitter" : "stays")"
    }
    #expect(notes == (jitter ? [] : ["2 jitter"]) + ["3 stays", "4 stays"])
    let jobs = try ImportFixture.load(result.text).jobs
    #expect(jobs.map(\.timing.jitter).filter { $0 > .zero } == (jitter ? [.seconds(300)] : []))
  }
}
