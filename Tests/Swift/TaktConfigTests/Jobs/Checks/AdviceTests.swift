import Foundation
import TaktCore
import TaktTesting
import TaktTime
import Testing

@testable import TaktConfig

/// Jobs that are valid in every key, but probably not as intended.
@Suite struct AdviceTests {
  /// `code | keys of the job, » before the place | message`
  @Test(arguments: [
    "neverRuns | at: »2020-01-01T00:00Z, run: echo => 2020-01-01T00:00:00.000Z is in the past",
    "neverRuns | at: [»2020-01-01T00:00Z, 2099-01-01T00:00Z], run: echo => is in the past",
    "neverRuns | cron: '0 3 * * *', except: »'*-*-*', run: echo => leaves out every slot",
    "neverRuns | every: 1h, except: »['Mon..Fri', 'Sat,Sun'], run: echo => leaves out every slot",
    "neverRuns | cron: '0 9 * * 6', except: »'Sat', run: echo => leaves out every slot",
    "neverRuns | cron: '0 3 1 1 *', not_before: 2097-02-01T00:00Z, until: »2097-03-01T00:00Z, run: echo => "
      + "there is no slot between 'not_before' and 'until'",
    "suspicious | every: 1h, run: [»/no/such/program, x] => the program '/no/such/program' does not exist",
    "suspicious | every: 1h, run: »no-such-program x => the program 'no-such-program' is in no folder of PATH",
    "suspicious | every: 1h, run: »A=1 B=2 no-such-program => the program 'no-such-program' is in no folder",
    "suspicious | every: 1h, run: »/etc/passwd x => the program '/etc/passwd' is not executable",
    "suspicious | every: 1h, run: »/etc x => the program '/etc' is a folder",
    "suspicious | every: 1h, steps: [{run: echo}, {run: »no-such-program}] => is in no folder of PATH",
    "suspicious | every: 1h, run: echo, on_failure: {run: [»no-such-program]} => is in no folder of PATH",
    "suspicious | every: 1h, run: echo, cwd: »/no/such/folder => the 'cwd' '/no/such/folder' does not exist",
    "suspicious | every: 1h, run: echo, cwd: »/etc/passwd => the 'cwd' '/etc/passwd' is not a folder",
    "suspicious | every: 1h, run: echo, secrets: {»A: {file: /no/such/file}} => "
      + "the file of the secret 'A' does not exist",
    "suspicious | every: 1h, run: [»'echo hi | cat'] => 'echo hi | cat' is the name of a program",
    "suspicious | every: 1h, run: [»'ls -l'] => 'ls -l' is the name of a program",
    "suspicious | every: 1h, run: [echo, hi, »'|', cat] => '|' is an argument",
    "suspicious | every: 1h, run: echo, limits: {memory: »1KB} => no program starts with 1KB of memory",
    "suspicious | every: 1h, run: echo, limits: {files: »1} => no program starts with 1 open file",
    "suspicious | every: 10s, timeout: »30s, run: echo => "
      + "the 'timeout' of 30s is longer than the interval of 10s",
    "suspicious | cron: '*/5 * * * *', timeout: »10m, run: echo => longer than the interval of 5m",
    "suspicious | every: 10m, expect_success_within: »2m, run: echo => the 'expect_success_within' of "
      + "2m is not longer than the 10m between two slots",
    "suspicious | every: 1h, expect_success_within: »1h, run: echo => is not longer than",
    "suspicious | cron: '30 2 * * 1-5', expect_success_within: »26h, run: echo => between two slots",
    "suspicious | cron: '*/5 9-16 * * *', expect_success_within: »1h, run: echo => is not longer than",
    "suspicious | calendar: '*-*-* 02:00', except: Sun, expect_success_within: »26h, run: echo => between two slots",
    "suspicious | every: 1h, run: echo, »on_stale: {run: echo} => "
      + "'on_stale' is never called without 'expect_success_within'",
    "suspicious | every: 1h, run: »'echo {{job}}' => '{{job}}' is not replaced in a command",
    "suspicious | every: 1h, run: [echo, »'{{slot}}'] => '{{slot}}' is not replaced in a command",
    "suspicious | every: 1h, run: »'echo {{secret.PW}}' => '{{secret.PW}}' is not replaced in a command",
    "suspicious | every: 1h, run: »\"sleep\\u00a01\" => an invisible character, U+00A0",
    "neverRuns | calendar: »'2020-01-01 09:00', run: echo => '2020-01-01 09:00' never occurs again",
    "neverRuns | cron: »'0 0 9 1 1 * 2020', run: echo => never occurs again",
    "neverRuns | every: 1h, missed: {only_on: »'2020-01-01'}, run: echo => "
      + "'only_on' names no time of the next 4 years, so no slot runs late",
    "neverRuns | every: 1h, missed: {only_on: »['2020-02-03', '2021-*-* 03:00']}, run: echo => names no time",
    "suspicious | watch: {path: /srv/in, pattern: »'*.{csv,tsv}'}, run: echo => "
      + "'{csv,tsv}' in the pattern '*.{csv,tsv}' stands for itself",
    "suspicious | watch: {path: /srv/in, pattern: ['*.csv', »'a/[0-9']}, run: echo => "
      + "'[' in the pattern 'a/[0-9' stands for itself",
    "suspicious | cron: »'* 3 * * *', run: echo => this is every minute from 03:00 to 03:59",
    "suspicious | cron: »'* 0 3 * * *', run: echo => this is every second of the minute 03:00",
    "suspicious | every: 1m, run: echo, »retry: {attempts: 5, delay: 30s} => "
      + "the pauses between 5 attempts add up to 7m30s, longer than the interval of 1m",
    "suspicious | every: 1h, shell: »/no/such/shell, run: echo => the shell '/no/such/shell' does not exist",
    "suspicious | every: 1h, shell: »no-such-shell, steps: [{run: echo}] => is in no folder of PATH",
    "suspicious | every: 1h, run: [ls, »$HOME/x] => '$HOME' stays as it is",
    "suspicious | every: 1h, run: [ls, -l, »'${TMPDIR}'] => '${TMPDIR}' stays as it is",
    "suspicious | every: 1h, run: [ls, »~/x] => '~/x' stays as it is",
    "suspicious | every: 1h, run: [rm, -f, »/tmp/*.log, x] => '/tmp/*.log' stays",
    "suspicious | every: 1h, run: [cat, »'*.log'] => '*.log' stays as it is",
    "suspicious | every: 1h, run: echo, env: {A: »$HOME/bin} => 'env' is not read by a shell: '$HOME'",
    "suspicious | every: 1h, run: echo, env: {A: »~/bin} => '~/bin' stays as it is",
    "suspicious | watch: {path: /srv/in}, run: »'date > /srv/in/last' => "
      + "the command writes '/srv/in/last', which the job watches",
    "suspicious | watch: {path: /srv/in/x}, run: »'echo a 2>&1 | tee -a /srv/in/x' => writes '/srv/in/x'",
    "suspicious | watch: {path: /srv/in}, run: »[cp, /etc/hosts, /srv/in/hosts] => writes '/srv/in/hosts'",
    "suspicious | watch: {path: /srv/in}, run: echo, output: {file: »{path: /srv/in/out}} => "
      + "the output writes '/srv/in/out'",
    "suspicious | every: 1h, run: »'sleep 1 &' => nothing waits for what the last '&' starts: takt ends it "
      + "when the run ends",
    "suspicious | every: 1h, run: »\"sleep 1 > x 2>&1 & # later\\n\" => nothing waits",
    "suspicious | every: 1h, run: »'(sleep 1 &)' => nothing waits",
    "suspicious | every: 1h, run: »'for a in b c; do sleep 1& done' => nothing waits",
    "suspicious | every: 1h, run: [bash, -c, »'sleep 1 &'] => nothing waits",
    "suspicious | every: 1h, run: [nice, -n, '5', bash, -ec, »'sleep 1 &', x] => nothing waits",
    "suspicious | every: 1h, steps: [{run: echo}, {run: »'sleep 1 &'}] => nothing waits",
    "suspicious | every: 1h, run: »'echo artisan schedule:run >> /dev/null 2>&1' => Laravel's "
      + "'schedule:run' may leave tasks in the background",
    "suspicious | every: 1h, run: [echo, artisan, »'schedule:run'] => Laravel's 'schedule:run'",
  ])
  func `a silent mistake is a warning with its place`(row: String) throws {
    try check(row)
  }

  @Test(arguments: [
    ("[echo, 'a b', '>', /tmp/x]", "\"echo 'a b' > /tmp/x\""),
    ("[ls, 'a\"b', ~/x]", "'ls ''a\"b'' ~/x'"), ("[ls, '', $HOME]", "\"ls '' $HOME\""),
  ])
  func `a list that is meant for a shell is shown as one text`(list: String, text: String) throws {
    let loaded = loadThoroughly("jobs: {a: {every: 1h, run: \(list)}}\n")
    #expect(loaded.diagnostics.map(\.hint) == ["write the command as one text: run: \(text)"])
  }

  @Test(arguments: [
    "conflictingKeys | every: 1h, run: echo, retry: {attempts: 2, on: [75, »75]} => '75' is listed twice",
    "conflictingKeys | every: 1h, run: echo, retry: {attempts: 2, on: [exit, »exit]} => 'exit' is listed twice",
    "conflictingKeys | every: 1h, run: echo, retry: {attempts: 2, on: [»75, exit]} => "
      + "'exit' includes the exit status 75",
    "conflictingKeys | every: 1h, run: echo, retry: {attempts: 2, on: [75, »0]} => "
      + "the exit status 0 counts as success",
    "conflictingKeys | every: 1h, run: echo, success: {exit: [0, 3]}, retry: {attempts: 2, on: »3} => "
      + "the exit status 3 counts as success",
    "conflictingKeys | every: 1h, use: log, retry: {attempts: 2, on: [timeout, »75]} => "
      + "the exit status 75 has no effect on built-ins",
  ])
  func `a failure to retry that never happens is a warning`(row: String) throws {
    try check(row)
  }

  /// Each pair of durations that can contradict each other.
  @Test(arguments: [
    "suspicious | every: 3h, run: echo, timeout: 1h, expected: »2h => "
      + "the 'expected' of 2h is longer than the 'timeout' of 1h",
    "suspicious | every: 3h, run: echo, timeout: 1h, expected: »1h => "
      + "the 'expected' of 1h is as long as the 'timeout' of 1h",
    "suspicious | every: 1h, run: echo, expected: »2h => the 'expected' of 2h is longer than the interval of 1h",
    "suspicious | every: 1m, run: echo, kill: {grace: »2m} => the 'grace' of 2m is longer than the interval of 1m",
    "suspicious | every: 3h, run: echo, timeout: »1h, retry: {attempts: 2, within: 30m} => "
      + "the 'timeout' of 1h is longer than the 'within' of 'retry' of 30m",
    "suspicious | every: 1m, run: echo, late_tolerance: »2m => "
      + "the 'late_tolerance' of 2m is longer than the interval of 1m",
    "suspicious | every: 1h, timeout: 10s, use: fetch, with: {url: 'http://x', timeout: »1m} => "
      + "the 'timeout' under 'with' of 1m is longer than the job's 'timeout' of 10s",
    "suspicious | every: 1h, timeout: 10s, steps: [{use: fetch, with: {url: 'http://x', timeout: »1m}}] => "
      + "longer than the job's 'timeout' of 10s",
  ])
  func `durations that contradict one another are a warning`(row: String) throws {
    try check(row)
  }

  private func check(_ row: String) throws {
    let parts = row.split(separator: " | ", maxSplits: 1).map(String.init)
    let rest = try #require(parts[1].range(of: " => "))
    let marked = MarkedText("jobs: {a: {\(parts[1][..<rest.lowerBound])}}\n")
    let loaded = loadThoroughly(marked.text)
    #expect(loaded.snapshot != nil)
    let diagnostic = try #require(loaded.diagnostics.first)
    #expect(loaded.diagnostics.count == 1, "\(loaded.diagnostics.map(\.headline))")
    #expect(rows([diagnostic]) == ["\(marked.places[0]) \(parts[0])"])
    #expect(diagnostic.severity == .warning && diagnostic.hint != nil)
    #expect(diagnostic.message.contains(parts[1][rest.upperBound...]), "\(diagnostic.headline)")
  }

  @Test(arguments: [
    "cron: '0-59 3 * * *', run: echo", "cron: '* 9-17 * * *', run: echo",
    "cron: '* * * * *', run: echo",
    "cron: '0 3 * * *', except: 'Sat,Sun', run: echo", "at: 2099-01-01T00:00Z, run: echo",
    "every: 10s, timeout: 30s, overlap: queue, run: echo", "every: 10s, timeout: 10s, run: echo",
    "every: 1h, run: 'docker ps --format {{.Names}}'", "every: 1h, run: 'echo {{{{job}}}}'",
    "every: 1m, run: echo, retry: {attempts: 5, delay: 30s, until: next_slot}",
    "every: 10m, run: echo, retry: {attempts: 5, delay: 30s}",
    "every: 1m, run: echo, retry: {attempts: 5, delay: 30s, within: 1m}",
    "every: 1h, run: [/bin/sh, -c, 'a | b']", "every: 1h, run: 'cd /x && ./y'",
    "every: 1h, run: 'f() { echo; }; f'", "every: 1h, run: '$HOME/bin/x'",
    "every: 1h, run: 'if true; then no-such; fi'", "every: 1h, run: \"# hi\\nsleep 1\"",
    "every: 1h, shell: python3, run: no-such-thing", "every: 1h, use: log, cwd: /no/such",
    "every: 1h, run: echo, limits: {memory: 64MB}",
    "every: 1h, run: [/bin/sh, -c, 'echo $HOME ~/x *.log']",
    "every: 1h, run: [awk, '{print $NF}', x]",
    "every: 1h, run: [find, /tmp, -exec, rm, '{}', ';']", "every: 1h, run: [cut, -d, ';', -f2, x]",
    "every: 1h, run: [tr, ';', ',']", "every: 1h, run: [sort, -t, '|', x]",
    "every: 1h, run: [ls, -F, '|']", "every: 1h, run: [grep, '>', /etc/passwd]",
    "every: 1h, run: [ssh, host, a, '|', b]", "every: 1h, run: [grep, '~', /etc/passwd]",
    "every: 1h, run: [expr, '1', '|', '2']",
    "every: 1h, run: [ls, '$1', '$x', 'a$', '$']", "every: 1h, run: [find, /tmp, -name, '*.log']",
    "every: 1h, run: [ls, --ignore, '*.o']", "every: 1h, run: [touch, -r, '*.o']",
    "every: 1h, run: [cp, 'host:/srv/*', /tmp]",
    "every: 1h, run: echo, env: {A: 'costs $5', DB_PASSWORD: pa$WORD}",
    "watch: {path: /srv/in}, run: 'mv /srv/in/a /srv/out'",
    "watch: {path: /srv/in}, run: 'cat /srv/in/a > /srv/out/b'",
    "watch: {path: /srv/in}, run: 'echo > $X/a'",
    "every: 3h, run: echo, timeout: 2h, expected: 1h", "every: 1h, run: echo, kill: {grace: 30s}",
    "every: 1m, run: echo, kill: {grace: 90s}", "every: 1m, run: echo, kill: {grace: 36500d}",
    "every: 1m, run: echo, overlap: allow, kill: {grace: 5m}",
    "every: 1h, run: echo, expected: 2h, overlap: allow",
    "every: 1h, run: echo, expect_success_within: 90m, on_stale: {run: echo}",
    "cron: '30 2 * * *', run: echo, expect_success_within: 26h",
    "cron: '0 9 * * 1-5', run: echo, expect_success_within: 4d",
    "every: 10m, cron: '0 3 * * *', run: echo, expect_success_within: 15m",
    "every: 1d, watch: {path: /srv/in}, run: echo, expect_success_within: 1h",
    "every: 1d, enabled: false, run: echo, expect_success_within: 1h",
    "every: 1h, timeout: 1m, use: fetch, with: {url: 'http://x', timeout: 10s}",
    "every: 1h, run: 'sleep 1 & wait'", "every: 1h, run: 'sleep 1 && echo'",
    "every: 1h, run: \"echo 'a &'\"", "every: 1h, run: 'echo a >&2'",
    "every: 1h, run: 'echo a &> x'", "every: 1h, run: 'echo a \\&'",
    "every: 1h, run: 'sleep 1 &', kill: {leftovers: leave}",
    "every: 1h, run: 'echo schedule:run', kill: {leftovers: leave}",
    "every: 1h, run: 'echo schedule:runs'", "every: 1h, run: \"echo # &\"",
    "every: 1h, shell: [python3, -c], run: 'a &'", "every: 1h, run: [echo, 'a &']",
  ])
  func `what may well be meant is no warning`(keys: String) {
    let loaded = loadThoroughly("jobs: {a: {\(keys)}}\n")
    let odd = loaded.diagnostics.filter { $0.code == .suspicious || $0.code == .neverRuns }
    #expect(odd.map(\.headline) == [])
  }

  @Test func `each of many alike jobs is looked at`() {
    let loaded = loadThoroughly(
      "jobs:\n  a: {every: 1h, run: no-such-1}\n  b: {every: 1h, run: no-such-2}\n"
        + "  c: {every: 1h, run: no-such-1}\n")
    #expect(rows(loaded.diagnostics) == ["2:23 suspicious", "3:23 suspicious", "4:23 suspicious"])
  }

  @Test func `an alike job's command with a placeholder is reported without a look at the machine`()
  {
    let loaded = load("jobs:\n  a: {every: 1h, run: echo}\n  b: {every: 1h, run: 'echo {{job}}'}\n")
    #expect(rows(loaded.diagnostics) == ["3:23 suspicious"])
  }

  @Test(arguments: [
    "keep: 1d, output: »2d => the 'output' of 2d is longer than the 'keep' of 1d",
    "output: »31d => the 'output' of 31d is longer than the 'keep' of 30d",
  ])
  func `an output that is kept longer than its run is a warning`(row: String) throws {
    let rest = try #require(row.range(of: " => "))
    let marked = MarkedText(
      "scheduler: {history: {\(row[..<rest.lowerBound])}}\njobs: {a: {every: 1h, run: echo}}\n")
    let diagnostic = try #require(load(marked.text).diagnostics.first)
    #expect(rows([diagnostic]) == ["\(marked.places[0]) suspicious"])
    #expect(diagnostic.message.contains(row[rest.upperBound...]) && diagnostic.hint != nil)
    #expect(
      load("scheduler: {history: {keep: 1d}}\njobs: {a: {every: 1h, run: echo}}\n").diagnostics
        == [])
  }

  @Test func `an include pattern that matches nothing is a warning of a thorough look`() {
    let text = "include: conf.d/*.yaml\njobs: {a: {every: 1h, run: echo}}\n"
    #expect(rows(loadThoroughly(text).diagnostics) == ["1:10 suspicious"])
    #expect(rows(load(text).diagnostics) == [])
  }

  @Test
  func `a shell of defaults that is not there is reported once, and not where no job calls it`() {
    let jobs = "  a: {every: 1h, run: echo}\n  b: {every: 1h, run: echo 2}\n"
    let loaded = loadThoroughly("defaults: {shell: no-such-shell}\njobs:\n\(jobs)")
    #expect(rows(loaded.diagnostics) == ["1:19 suspicious"])
    let list = loadThoroughly(
      "defaults: {shell: no-such-shell}\njobs: {a: {every: 1h, run: [ls]}}\n")
    #expect(rows(list.diagnostics) == [])
  }

  @Test
  func `a clock change that drops times is reported once a file, where nothing is said of it`() {
    let head = "scheduler: {timezone: Europe/Berlin}\n"
    let jobs = (0..<5).map { "  j\($0): {calendar: '02:\($0)5', run: echo}\n" }.joined()
    let folder = TemporaryFolder()
    let load = { (text: String) in
      JobsLoader(zones: BerlinZones(), accounts: TestAccounts(own: "root")).load(
        path: folder.write(text, to: "jobs.yaml"))
    }
    let dropped = load(head + "jobs:\n" + jobs).diagnostics
    #expect(rows(dropped) == ["3:18 suspicious"])
    #expect(dropped.first?.message.contains("02:05 does not exist on ") == true)
    // A time of `cron` runs right after the change, and an hourly one misses nothing.
    for keys in [
      "cron: '30 2 * * *'", "calendar: '02:30', dst: {gap: skip}", "calendar: '*:30'",
      "calendar: '03:30'", "calendar: 'Mon 02:30'",
    ] {
      #expect(load(head + "jobs: {a: {\(keys), run: echo}}\n").diagnostics == [], "\(keys)")
    }
    #expect(load(head + "defaults: {dst: {gap: run_after}}\njobs:\n" + jobs).diagnostics == [])
  }

  @Test func `a daemon looks for no program, folder or secret`() {
    let loaded = load(
      "jobs: {a: {every: 1h, run: no-such, cwd: /no/such, secrets: {A: {file: /no/such}}}}\n")
    #expect(loaded.diagnostics == [] && loaded.snapshot != nil)
  }
}

/// Berlin, whose clock changes each year.
private struct BerlinZones: ZoneSource {
  let zoneNames = ["UTC", "Europe/Berlin"]

  func zone(named name: String) -> Zone? {
    guard name == "Europe/Berlin" else { return .utc }
    return Zone(
      name: name, initialOffsetSeconds: 3600, rule: ZoneRule(posix: "CET-1CEST,M3.5.0,M10.5.0/3"))
  }
}

/// Loads a text as `takt check` does.
private func loadThoroughly(_ text: String) -> LoadedJobs {
  let folder = TemporaryFolder()
  return loader.load(path: folder.write(text, to: "jobs.yaml"), isThorough: true)
}
