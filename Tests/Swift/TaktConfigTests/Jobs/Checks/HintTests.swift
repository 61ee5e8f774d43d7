import TaktCore
import TaktTesting
import Testing

@testable import TaktConfig

/// Mistakes of people who come from cron, systemd or another scheduler: each diagnostic names the
/// correct text.
struct HintTests {
  /// `keys of a job | message | hint`
  @Test(arguments: [
    "schedule: '* * * * *' | unknown key 'schedule' in job 'a' | use 'cron', 'calendar' or 'every'",
    "command: x | unknown key 'command' in job 'a' | use 'run'",
    "cmd: x | unknown key 'cmd' in job 'a' | use 'run'",
    "script: x | unknown key 'script' in job 'a' | use 'run'",
    "ExecStart: x | unknown key 'ExecStart' in job 'a' | use 'run'",
    "environment: {} | unknown key 'environment' in job 'a' | use 'env'",
    "depends_on: b | unknown key 'depends_on' in job 'a' | write after: {job: NAME}",
    "dependsOn: b | unknown key 'dependsOn' in job 'a' | write after: {job: NAME}",
    "retries: 3 | unknown key 'retries' in job 'a' | write retry: {attempts: 3}",
    "interval: 5m | unknown key 'interval' in job 'a' | use 'every', such as every: 5m",
    "working_directory: / | unknown key 'working_directory' in job 'a' | use 'cwd'",
    "workdir: / | unknown key 'workdir' in job 'a' | use 'cwd'",
    "steps: [{command: x}] | unknown key 'command' in 'steps' of job 'a' | use 'run'",
    "retry: 5 | 'retry' must be a mapping, not '5' | write retry: {attempts: 5}",
    "retry: yes | 'retry' must be a mapping, not 'yes' | write retry: {attempts: 3}",
    "after: y | 'after' must be a mapping, not 'y' | write after: {job: y}",
    "after: [y] | 'after' must be a mapping, not 'y' | write after: {job: y}",
    "env: [A=1] | 'env' must be a mapping of names to texts, not a list | write env: {NAME: value}",
    "on_failure: mail | 'on_failure' must be a mapping, not 'mail' | write on_failure: {run: COMMAND}",
    "steps: [{run: y, continue: ignor}] | 'continue' must be one of ignore, true, false, not 'ignor' | "
      + "did you mean 'ignore'?",
    "timezone: PST | there is no time zone 'PST' | "
      + "abbreviations are ambiguous; write a name such as America/Los_Angeles",
  ])
  func `a key or a form of another tool is answered with takt's own`(row: String) throws {
    let parts = row.split(separator: " | ").map(String.init)
    try #require(parts.count == 3)
    let loaded = load("jobs:\n  a: {\(parts[0]), \(Self.others(than: parts[0]))}\n")
    let diagnostic = try #require(loaded.diagnostics.first)
    #expect(diagnostic.message == parts[1])
    #expect(diagnostic.hint == parts[2])
  }

  /// The other keys of a complete job, without using a key twice.
  private static func others(than keys: String) -> String {
    keys.hasPrefix("timezone")
      ? "cron: '0 3 * * *', run: x"
      : keys.hasPrefix("steps") ? "on: start" : "on: start, run: x"
  }

  /// `file | headline without its place`: messages that once gave no help.
  @Test(arguments: [
    "tasks: {a: {every: 1h, run: x}} | unknown key 'tasks' in the file; use 'jobs'",
    "jobs: [a] | 'jobs' must be a mapping of job names to jobs, not a list; "
      + "write jobs: {NAME: {every: 1h, run: COMMAND}}",
    "jobs: {a: } | the job 'a' has no keys; write its keys below its name, indented",
    "jobs: {a: {every: 1h, run: x, on_fail: {run: y}}} | unknown key 'on_fail' in job 'a'; "
      + "use a hook: 'on_failure', 'on_success' or 'on_recover'",
    "jobs: {a: {every: 5 min, run: x}} | '5 min' has the unknown unit 'min'; write 5m",
    "jobs: {a: {every: 5M, run: x}} | '5M' has the unknown unit 'M'; write 5m",
    "jobs: {a: {every: 2 years, run: x}} | '2 years' has the unknown unit 'years'; write 730d",
    "jobs: {a: {every: 1_000s, run: x}} | '1_000s' has the unknown unit '_'; write 1000s",
    "jobs: {a: {every: '1:30', run: x}} | '1:30' has the unknown unit ':'; write 1h30m",
    "jobs: {a: {every: \u{201c}1h\u{201d}, run: x}} | '\u{201c}1h\u{201d}' is not a duration; "
      + "write plain quotes or none instead of typographic ones",
    "jobs: {a: {every: 1h, run: {cmd: x}}} | "
      + "'run' must be a list of texts, or a non-empty text, not a mapping",
    "jobs: {a: {every: 1h, steps: {run: x}}} | 'steps' must be a list of mappings, not a mapping; "
      + "write steps: [{run: COMMAND}]",
    "jobs: {a: {every: 1h, steps: []}} | the list of 'steps' is empty; "
      + "add an item, or remove 'steps'",
    "jobs: {a: {after: {job: b}, run: x}} | there is no job 'b', in job 'a'",
    "jobs: {\u{430}: {every: 1h, run: x}} | '\u{430}' is not a valid job name: it has U+0430; "
      + "use 1 to 128 letters, digits, '.', '_' and '-', starting with a letter or digit",
    "jobs: {a: {every: '1,5h', run: x}} | '1,5h' has the unknown unit ','; write 1.5h",
    "jobs: {a: {every: '1,000s', run: x}} | '1,000s' has the unknown unit ','; write 1000s",
    "jobs: {a: {every: PT5M, run: x}} | 'PT5M' is not a duration; write 5m",
    "jobs: {a: {every: P1M, run: x}} | 'P1M' is not a duration; "
      + "write a number with a unit, such as 30s or 1h30m",
    "jobs: {a: {every: 1h, run: [sleep, [1]]}} | "
      + "an item of 'run' must be a text, not a list; write all items in one list",
    "jobs: {a: {every: 1h, run: x, kill: {signal: 9}}} | 'signal' must be one of "
      + "TERM, INT, HUP, QUIT, USR1, USR2, KILL, not '9'; write KILL",
    "jobs: {a: {every: 1h, run: x, kill: {signal: SIGTERM}}} | 'signal' must be one of "
      + "TERM, INT, HUP, QUIT, USR1, USR2, KILL, not 'SIGTERM'; write TERM",
    "jobs: {a: {every: 1h, run: x, overlap: wait}} | 'overlap' must be one of "
      + "skip, queue, replace, allow, not 'wait'; write queue",
    "jobs:\na:\n  every: 1h\n  run: x | unknown key 'a' in the file; indent a job below 'jobs:'",
    "apiVersion: batch/v1 | unknown key 'apiVersion' in the file; "
      + "the keys of a jobs file are 'scheduler', 'calendars', 'defaults', 'include', 'jobs', 'x-…'",
    "{scheduler: {metrics: {job: 1}}, jobs: {a: {every: 1h, run: x}}} | "
      + "unknown key 'job' in 'metrics' of 'scheduler'; did you mean 'jobs'?",
    "jobs: {a-{{x}}: {every: 1h, run: x}} | '{{' is in a text without quotes here; "
      + "put the whole text in quotes",
    "*/5 * * * * root /bin/x | this is a line of a crontab; "
      + "write it as a job: jobs: {NAME: {cron: \"*/5 * * * *\", run: COMMAND}}",
    "0 3 * * 1-5 /bin/x | this is a line of a crontab; "
      + "write it as a job: jobs: {NAME: {cron: \"*/5 * * * *\", run: COMMAND}}",
    "jobs:\n  a:\n    every 1h\n    run: x | this line is not 'key: value'; "
      + "put ':' and a space after the key",
    "jobs:\n  a:\n    every:1h\n\n    run: x | this line is not 'key: value'; "
      + "put a space after the ':'",
    "jobs:\n  a:\n    run: echo: x | unexpected ':'; "
      + "check the indentation, or quote a text that contains ': '",
    "jobs:\n\u{a0}\u{a0}a: {every: 1h, run: x} | unknown key '<U+00A0><U+00A0>a' in the file; "
      + "a no-break space stands before it; indent with plain spaces",
    "{defaults: [a], jobs: {}} | 'defaults' must be a mapping, not a list; write defaults: {timeout: 10m}",
  ])
  func `a message says what to write`(row: String) throws {
    let parts = row.split(separator: " | ").map(String.init)
    let diagnostic = try #require(load(parts[0] + "\n").diagnostics.first)
    #expect(diagnostic.message + (diagnostic.hint.map { "; \($0)" } ?? "") == parts[1])
  }

  @Test func `one mistake is reported once`() {
    // Wrong attempts are no reason to say that the delay has no effect.
    let retry = load("jobs: {a: {every: 1h, run: x, retry: {attempts: -1, delay: 1s}}}\n")
    #expect(rows(retry.diagnostics) == ["1:49 outOfRange"])
  }

  @Test func `a no-break space that indents a line is named at its place`() {
    let loaded = load("jobs:\n  a:\n\u{a0}\u{a0}  every: 1h\n    run: x\n")
    #expect(
      loaded.diagnostics.last?.headline.hasSuffix(
        ":3:1: error: a no-break space cannot indent a line; use plain spaces") == true,
      "\(loaded.diagnostics.map(\.headline))")
  }

  @Test(arguments: [
    "cron: »* * * * *", "cron: »*/5 * * * *", "cron: [»* 3 * * *]", "cron:\n      - »* * * * *",
  ])
  func `a cron expression without quotes is reported at its star`(keys: String) throws {
    let marked = MarkedText("jobs:\n  a:\n    run: x\n    \(keys)\n  b: {every: 1s, run: x}\n")
    let diagnostic = try #require(load(marked.text).diagnostics.first)
    #expect(rows([diagnostic]) == ["\(marked.places[0]) syntax"])
    #expect(diagnostic.message == "'*' starts a YAML alias here")
    #expect(diagnostic.hint == "quote the text, such as cron: \"* * * * *\"")
  }

  @Test func `an action that does not exist is answered with the built-ins and the plugin folders`()
    throws
  {
    let folder = TemporaryFolder()
    let path = folder.write("jobs: {a: {every: 1h, use: teleport}}\n", to: "jobs.yaml")
    let diagnostic = try #require(loader.load(path: path).diagnostics.first)
    #expect(diagnostic.message == "there is no built-in or plugin 'teleport'")
    #expect(
      diagnostic.hint
        == "the built-ins are all, log, mail, notify, ping, pipe, touch; plugins are searched for in "
        + FilePath.absolute(FilePath.join(folder.path, "plugins")))
    let near = load("jobs: {a: {every: 1h, use: mial}}\n").diagnostics.first
    #expect(near?.hint == "did you mean 'mail'?")
  }

  @Test(arguments: [
    "{PW: hunter2}", "{PW: \"hunter2\"}", "{PW: [hunter2]}", "hunter2", "[hunter2]", "PW=hunter2",
    "{PW: {value: hunter2}}", "{PW: {env: hunter-2, file: hunter2}}", "{PW: {env: \"hunter2!\"}}",
    "{PW: {file: [hunter2]}}", "{PW: hunter2, OK: {env: A}}",
  ])
  func `a secret in the jobs file is an error that does not show it`(secrets: String) {
    // On one line with another mistake, and on lines of its own.
    for keys in [
      "{every: 5, run: x, secrets: \(secrets)}", "\n    secrets: \(secrets)\n    every: 5",
    ] {
      let loaded = load("jobs:\n  a: \(keys)\n")
      #expect(loaded.snapshot == nil)
      #expect(loaded.diagnostics.contains { $0.code != .badDuration && $0.code != .missingKey })
      for diagnostic in loaded.diagnostics {
        #expect(!diagnostic.text.contains("hunter"), "\(diagnostic.text)")
      }
    }
  }

  @Test func `the error of a secret in the jobs file names the right form`() throws {
    let loaded = load("jobs: {a: {every: 5s, run: x, secrets: {PW: hunter2}}}\n")
    let diagnostic = try #require(loaded.diagnostics.first)
    #expect(diagnostic.message == "the secret 'PW' must name its source, not contain it")
    #expect(diagnostic.hint == "write NAME: {file: PATH} or NAME: {env: VARIABLE}")
    #expect(rows(loaded.diagnostics) == ["1:45 wrongType"])
  }
}
