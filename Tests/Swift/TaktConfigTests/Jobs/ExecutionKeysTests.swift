import TaktCore
import TaktTesting
import Testing

@testable import TaktConfig
import TaktTime

/// The keys of a run's execution: their values, and the messages for wrong ones.
struct ExecutionKeysTests {
  @Test func `what a process is made of is read`() throws {
    let job = try spec(
      """
      on: start, run: x, inherit_env: [TZ, LANG, TZ], umask: "0027", user: 1000, group: adm,
      stdin: "a\\nb", secrets: {A: {file: a.key}, B: {env: TOKEN, as: file}}, cwd: /,
      limits: {memory: 1GB, cpu: 1m30s, files: 64, processes: 10, core: 0B, file_size: 1.5KB}
      """)
    let execution = job.execution
    #expect(execution.inheritance == .only(["LANG", "TZ"]))
    #expect(execution.umask == 0o27)
    #expect(execution.identity == UserAndGroup(user: "1000", group: "adm"))
    #expect(execution.stdin == "a\nb")
    #expect(execution.secrets["B"] == Secret(.environment("TOKEN"), delivery: .file))
    guard case .file(let path) = execution.secrets["A"]?.source else { throw Missing() }
    #expect(path.hasPrefix("/") && path.hasSuffix("/a.key"))
    var limits = Limits()
    limits.memoryBytes = 1 << 30
    limits.cpuSeconds = 90
    limits.files = 64
    limits.processes = 10
    limits.coreBytes = 0
    limits.fileSizeBytes = 1536
    #expect(execution.limits == limits)
    #expect(try spec("on: start, run: x, inherit_env: false").execution.inheritance == .none)
  }

  private struct Missing: Error {}

  @Test func `what becomes of an attempt is read`() throws {
    let job = try spec(
      """
      on: start, run: x, success: {exit: [0, 2, 2]},
      fails_when: {stderr: any, stdout: "^(ERROR|FATAL) ", empty: true},
      retry: {attempts: 5, delay: 1s, factor: 1.5, max: 1m, jitter: 20%, on: [exit, not_started],
      until: next_slot}, on_removed: kill, tags: [b, a, b],
      output: {keep: 1MB, log: on_failure, rate: 5/m, file: {path: /x.log, max: 1MB, files: 1}}
      """)
    #expect(
      job.execution.success
        == SuccessRule(
          exitStatuses: [0, 2], failsOnStandardError: true, failurePattern: "^(ERROR|FATAL) ",
          failsWhenSilent: true))
    #expect(
      job.execution.retry
        == RetryPolicy(
          attempts: 5, delay: .seconds(1), factor: 1.5, delayMax: .seconds(60), jitterPercent: 20,
          causes: [.exit, .notStarted], end: .nextSlot))
    #expect(
      job.execution.output
        == OutputPolicy(
          keepBytes: 1 << 20, logging: .onFailure, rate: LineRate(5, per: .seconds(60)),
          file: OutputFile(path: "/x.log", sizeBytesMax: 1 << 20, files: 1)))
    #expect(job.removal == .kill)
    #expect(job.tags == ["a", "b"])
  }

  @Test func `steps and hooks are lists of actions`() throws {
    let job = try spec(
      """
      on: start, steps: [{run: a, continue: true}, {run: [b, c]}, {use: log}],
      on_failure: {use: mail, with: {to: x, subject: "{{job}}: {{outcome}}"}},
      on_late: [{run: d}, {run: e}], late_tolerance: 5s, expected: 1m
      """)
    #expect(
      job.action
        == .steps([
          Step(.shell("a"), continues: true), Step(.argv(["b", "c"])),
          Step(.use("log", ["message": .string("tick"), "level": .string("info")])),
        ]))
    #expect(
      job.hooks == [
        .onFailure: [
          Step(.use("mail", ["to": .string("x"), "subject": .string("{{job}}: {{outcome}}")]))
        ],
        .onLate: [Step(.shell("d")), Step(.shell("e"))],
      ])
    #expect(job.lateTolerance == .seconds(5))
    #expect(job.expectedDuration == .seconds(60))
  }

  @Test func `parameters are read by their kinds`() throws {
    let job = try spec(
      """
      on: start, use: all, with: {text: 010, word: b, path: /x/./y, count: 9, number: 1, flag: true,
      wait: 1s, size: 2KB, share: 2.5%, texts: one, paths: [/a, /b], headers: {X-A: 1, b c: ""},
      lists: {a: [1, 2], b: 3}, maps: [{a: true}, {}]}
      """)
    #expect(
      job.action
        == .use(
          "all",
          [
            "text": .string("010"), "word": .string("b"), "path": .string("/x/y"),
            "count": .integer(9), "number": .number(1), "flag": .boolean(true),
            "wait": .duration(.seconds(1)), "size": .integer(2048), "share": .number(2.5),
            "texts": .list([.string("one")]), "paths": .list([.string("/a"), .string("/b")]),
            "headers": .map(["X-A": .string("1"), "b c": .string("")]),
            "lists": .map([
              "a": .list([.integer(1), .integer(2)]), "b": .list([.integer(3)]),
            ]),
            "maps": .list([.map(["a": .boolean(true)]), .map([:])]),
          ]))
    #expect(
      try spec("on: start, use: all, with: {maps: {a: false}}").action
        == .use("all", ["maps": .list([.map(["a": .boolean(false)])])]))
  }

  @Test func `a path among the parameters is seen from the folder of the file`() throws {
    let folder = TemporaryFolder()
    let path = folder.write(
      "jobs: {a: {on: start, use: all, with: {path: x/y}}}\n", to: "jobs.yaml")
    let action = try #require(loader.load(path: path).snapshot).jobs[0].action
    #expect(action == .use("all", ["path": .string(folder["x/y"])]))
  }

  // MARK: Defaults

  private let defaults = """
    scheduler: {concurrency: {db: 2, web: 3}}
    defaults:
      retry: {attempts: 3, delay: 5s}
      output: {keep: 1KB, file: {path: /a.log, files: 9}}
      limits: {files: 64, core: 0B}
      secrets: {A: {env: A}}
      success: {exit: [0, 1]}
      fails_when: {empty: true}
      inherit_env: false
      umask: 077
      concurrency: db
      tags: [x]
      on_failure: {use: mail, with: {to: x, subject: "{{secret.A}}"}}

    """

  @Test func `retry, output and limits merge, and the rest replaces`() throws {
    let job = try spec(
      """
      on: start, run: x, retry: {delay: 7s}, output: {log: false, file: {path: /b.log}},
      limits: {core: null, cpu: 5s}, secrets: {A: {env: B}, C: {env: D}}, success: {exit: 2},
      fails_when: {stderr: any}, inherit_env: [TZ], tags: y, concurrency: web,
      on_failure: [{run: f}]
      """, before: defaults)
    #expect(job.execution.retry == RetryPolicy(attempts: 3, delay: .seconds(7)))
    #expect(
      job.execution.output
        == OutputPolicy(keepBytes: 1024, logging: .never, file: OutputFile(path: "/b.log")))
    var limits = Limits()
    limits.files = 64
    limits.cpuSeconds = 5
    #expect(job.execution.limits == limits)
    #expect(
      job.execution.secrets == ["A": Secret(.environment("B")), "C": Secret(.environment("D"))])
    #expect(job.execution.success == SuccessRule(exitStatuses: [2], failsOnStandardError: true))
    #expect(job.execution.inheritance == .only(["TZ"]))
    #expect(job.concurrencyGroup == "web")
    #expect(job.tags == ["y"])
    #expect(job.hooks == [.onFailure: [Step(.shell("f"))]])
    #expect(job.execution.umask == 0o77)
  }

  @Test func `a hook of defaults needs the secrets it names in each job`() {
    let loaded = load(defaults + "jobs: {a: {on: start, run: x, secrets: null}}\n")
    #expect(rows(loaded.diagnostics) == ["14:8 badPlaceholder"])
    #expect(loaded.diagnostics[0].message.contains("'on_failure' of 'defaults'"))
  }

  @Test func `defaults are read with the groups and the zone of a scheduler below them`() throws {
    let loaded = load(
      """
      defaults: {concurrency: db}
      scheduler: {concurrency: {db: 1}, timezone: Europe/Berlin}
      jobs: {a: {at: 2026-07-01T12:00, run: x}}
      """)
    let snapshot = try #require(loaded.snapshot)
    #expect(snapshot.settings.concurrency == ["db": 1])
    #expect(snapshot.jobs[0].concurrencyGroup == "db")
    #expect(snapshot.jobs[0].timing.schedule.at[0].rfc3339() == "2026-07-01T10:00:00.000Z")
  }

  // MARK: Wrong values

  static let badValues: [String] = [
    "badName | env: {»TAKT_JOB: x}", "badName | secrets: {»TAKT_RUN: {env: A}}",
    "badBoolean | inherit_env: »yes", "badValue | inherit_env: »[]",
    "badName | inherit_env: [A, »B-C]", "badNumber | umask: »8", "badNumber | umask: »1777",
    "outOfRange | nice: »20", "outOfRange | nice: »-21", "badNumber | nice: »low",
    "badNumber | limits: {cpu_quota: »50}", "badNumber | limits: {cpu_quota: »0%}",
    "badSize | limits: {memory_max: »512}", "outOfRange | limits: {tasks_max: »0}",
    "outOfRange | limits: {io_weight: »10001}", "badChoice | limits: {enforce: »never}",
    "badValue | ionice: »low", "badValue | ionice: »best-effort:8", "badValue | ionice: »idle:1",
    "badValue | ionice: »\"\"", "badNumber | umask: »u=rwx", "badNumber | umask: »\"\"",
    "badValue | user: »\"\"",
    "wrongType | user: »[a]", "wrongType | group: »~", "wrongType | stdin: »[a]",
    "wrongType | secrets: »[A]", "badName | secrets: {»A-B: {env: A}}",
    "missingKey | secrets: {»A: {}}", "conflictingKeys | secrets: {A: {env: B, »file: c}}",
    "badChoice | secrets: {A: {env: B, as: »path}}", "badName | secrets: {A: {env: »B-C}}",
    "wrongType | secrets: {A: »null}", "wrongType | secrets: {A: {file: »null}}",
    "badValue | secrets: {A: {file: »~/key}}", "unknownKey | secrets: {A: {»fiel: x}}",
    "conflictingKeys | env: {A: x}, secrets: {»A: {env: B}}",
    "badSize | limits: {memory: »64}", "badSize | limits: {memory: »64mb}",
    "badSize | limits: {memory: »0.3B}", "badSize | limits: {memory: »-1KB}",
    "badSize | limits: {memory: »KB}", "badSize | limits: {memory: »2000TB}",
    "badSize | limits: {memory: »99999999999999999999KB}",
    "outOfRange | limits: {memory: »0B}", "outOfRange | limits: {cpu: »1500ms}",
    "outOfRange | limits: {cpu: »0s}", "outOfRange | limits: {files: »0}",
    "unknownKey | limits: {»file: 5}".replacing("unknownKey", with: "misplacedKey"),
    "badSize | output: {keep: »64}", "outOfRange | output: {keep: »17MB}",
    "badChoice | output: {log: »yes}", "badRate | output: {rate: »100}",
    "badRate | output: {rate: »0/s}", "badRate | output: {rate: »1/d}",
    "badRate | output: {rate: »1.5/s}", "badRate | output: {rate: »1000001/s}",
    "wrongType | output: {file: »x.log}", "missingKey | output: {»file: {max: 1MB}}",
    "outOfRange | output: {file: {path: x, files: »101}}",
    "outOfRange | output: {file: {path: x, max: »1023B}}",
    "outOfRange | success: {exit: »256}", "badNumber | success: {exit: [0, »x]}",
    "badChoice | fails_when: {stderr: »some}", "badBoolean | fails_when: {empty: »no}",
    "badPattern | fails_when: {stdout: »'('}", "badValue | fails_when: {stdout: »''}",
    "conflictingKeys | output: {merge: true}, »fails_when: {stderr: any}",
    "conflictingKeys | output: {merge: true}, »fails_when: {stdout: x}",
    "conflictingKeys | »fails_when: {empty: true}, output: {merge: true}",
    "outOfRange | pty: {rows: »0}", "outOfRange | pty: {columns: »1001}",
    "badBoolean | pty: »xterm",
    "conflictingKeys | pty: true, »fails_when: {stderr: any}",
    "badBoolean | output: {merge: »both}", "badChoice | output: {colors: »none}",
    "badPattern | fails_when: {stdout: »'(a)\\1'}",
    "badPattern | fails_when: {stdout: »'(a{40}){40}'}",
    "outOfRange | retry: {attempts: »0}", "outOfRange | retry: {attempts: »1001}",
    "outOfRange | retry: {attempts: 2, factor: »0.5}",
    "badNumber | retry: {attempts: 2, factor: »two}",
    "badNumber | retry: {attempts: 2, factor: ».inf}",
    "badPercent | retry: {attempts: 2, jitter: »5}",
    "badChoice | retry: {attempts: 2, on: [exit, »error]}",
    "outOfRange | retry: {attempts: 2, on: »256}", "outOfRange | retry: {attempts: 2, on: [»-1]}",
    "badChoice | retry: {attempts: 2, on: »70-75}", "badChoice | retry: {attempts: 2, on: »7.5}",
    "badValue | retry: {attempts: 2, on: »[]}",
    "badChoice | retry: {attempts: 2, until: »next}",
    "conflictingKeys | retry: {»delay: 5s}", "conflictingKeys | retry: {attempts: 1, »max: 5s}",
    "outOfRange | retry: {attempts: 2, delay: »2h}",
    "outOfRange | retry: {attempts: 2, max: »5s}",
    "misplacedKey | »attempts: 3", "misplacedKey | »continue: true",
    "unknownGroup | concurrency: »db", "badName | concurrency: »a b",
    "badDuration | late_tolerance: »5", "outOfRange | expected: »0s",
    "badChoice | on_removed: »stop", "badName | tags: [a, »b c]", "badValue | tags: »[]",
    "badValue | on_failure: »[]", "wrongType | on_failure: »x", "wrongType | on_failure: [»x]",
    "missingKey | on_failure: »{}", "missingKey | on_failure: [{run: y}, »{}]",
    "conflictingKeys | on_failure: {run: y, »use: log}",
    "misplacedKey | on_failure: {run: y, »timeout: 5s}",
    "misplacedKey | on_failure: {run: y, »continue: true}",
    "wrongType | on_failure: {run: »null}", "unknownAction | on_failure: {use: »lgo}",
    "missingParameter | on_failure: {use: mail, »with: {to: x}}",
    "badPlaceholder | on_failure: {use: log, with: {message: »'{{jobb}}'}}",
    "badPlaceholder | on_failure: {use: log, with: {message: »'{{job'}}",
    "badPlaceholder | on_failure: {use: log, with: {message: »'{{secret.A}}'}}",
    "badPlaceholder | on_failure: {use: all, with: {texts: [a, »'{{x}}']}}",
    "badPlaceholder | on_failure: {use: all, with: {headers: {a: »'{{x}}'}}}",
  ]

  @Test(arguments: badValues)
  func `a bad value of execution is reported at its place`(row: String) throws {
    try check(badRow: row) { "jobs:\n  a: {on: start, run: x, " + $0 + "}\n" }
  }

  static let badActions: [String] = [
    "conflictingKeys | run: x, »steps: [{run: y}]",
    "conflictingKeys | »steps: [{run: y}]".replacing(
      "»steps: [{run: y}]", with: "steps: [{run: y}], »use: log"),
    "missingKey | steps: [{run: y}], »with: {a: b}", "badValue | steps: »[]",
    "wrongType | steps: »{run: x}", "wrongType | steps: [»x]", "missingKey | steps: [»{}]",
    "missingKey | steps: [»{continue: true}]", "badBoolean | steps: [{run: x, continue: »yes}]",
    "wrongType | steps: [{run: »null}]", "misplacedKey | steps: [{run: x, »timeout: 5s}]",
    "conflictingKeys | steps: [{run: [x]}], »shell: bash",
    "badPlaceholder | use: log, with: {message: »'{{outcome}}'}",
    "wrongType | use: all, with: {text: »}", "badNumber | use: all, with: {count: »x}",
    "outOfRange | use: all, with: {count: »10}", "outOfRange | use: all, with: {number: »1.5}",
    "badBoolean | use: all, with: {flag: »yes}", "badDuration | use: all, with: {wait: »5}",
    "outOfRange | use: all, with: {wait: »5ms}", "badSize | use: all, with: {size: »5}",
    "badPercent | use: all, with: {share: »5}", "badValue | use: all, with: {path: »~/x}",
    "wrongType | use: all, with: {texts: [a, »[b]]}", "wrongType | use: all, with: {text: »{a: b}}",
    "wrongType | use: all, with: {headers: »[a]}", "badName | use: all, with: {headers: {»'': a}}",
    "outOfRange | use: all, with: {lists: {a: [1, »10]}}",
    "badBoolean | use: all, with: {maps: [{a: »5}]}", "badValue | use: all, with: {texts: »[]}",
    "unknownParameter | use: all, with: {»txt: x}",
    "badParameter badParameter | use: all, »with: {text: both, word: »a}",
  ]

  @Test(arguments: badActions)
  func `a bad action is reported at its place`(row: String) throws {
    try check(badRow: row) { "jobs:\n  a: {on: start, " + $0 + "}\n" }
  }

  @Test(arguments: [
    "outOfRange | scheduler: {concurrency: {a: »0}}",
    "badName | scheduler: {concurrency: {»a b: 1}}",
    "wrongType | scheduler: {concurrency: »5}", "badNumber | scheduler: {concurrency: {a: »x}}",
  ])
  func `a bad concurrency group is reported at its place`(row: String) throws {
    try check(badRow: row) { $0 + "\njobs: {}\n" }
  }

  @Test func `a name that is nearly right is offered`() {
    func hint(_ keys: String) -> String? {
      load("scheduler: {concurrency: {db: 1}}\njobs: {a: {on: start, \(keys)}}\n")
        .diagnostics.first?.hint
    }
    #expect(hint("run: x, concurrency: bd") == "did you mean 'db'?")
    #expect(hint("use: log, with: {message: '{{jobb}}'}") == "did you mean '{{job}}'?")
    #expect(
      hint("use: all, secrets: {KEY: {env: K}}, with: {text: '{{secret.KEX}}'}")
        == "did you mean '{{secret.KEY}}'?")
    #expect(hint("run: x, limits: {memory: 5M}") == "did you mean 'MB'?")
    #expect(
      hint("use: log, with: {message: '{{'}")
        == "add '}}' after the name, or write '{{{{' for a literal '{{'")
  }

  // MARK: Keys without effect

  @Test(arguments: [
    "inherit_env: false", "env: {A: b}", "env_file: /etc/os-release", "cwd: /", "user: root",
    "group: root", "umask: 022",
    "stdin: x", "limits: {core: 0B}", "kill: {signal: HUP}", "success: {exit: 1}",
    "fails_when: {empty: true}",
  ])
  func `what describes a process is warned of where none is started`(key: String) {
    for action in ["use: log", "steps: [{use: log}, {use: log}]"] {
      let loaded = load("jobs: {a: {every: 1s, \(action), \(key)}}\n")
      #expect(loaded.diagnostics.map(\.severity) == [.warning])
      #expect(
        loaded.diagnostics.allSatisfy { $0.message.contains("has no effect on the built-in") })
    }
    for action in ["steps: [{use: log}, {run: x}]", "use: log, on_failure: {run: x}"] {
      #expect(load("jobs: {a: {every: 1s, \(action), \(key)}}\n").diagnostics == [])
    }
  }

  @Test(arguments: [
    "use: touch, kill: {grace: 1s}", "use: touch, kill: {signal: KILL}",
    "use: pipe, with: {to: x}, kill: {signal: HUP}",
  ])
  func `what decides how a built-in is stopped is not warned of`(keys: String) {
    #expect(load("jobs: {a: {every: 1s, \(keys)}}\n").diagnostics == [])
  }

  @Test func `a parameter without effect is reported where it is given, not where it is a default`()
  {
    #expect(load("jobs: {a: {every: 1s, use: pipe}}\n").diagnostics == [])
    let loaded = load("jobs: {a: {every: 1s, use: pipe, with: {fast: true}}}\n")
    #expect(rows(loaded.diagnostics) == ["1:47 badParameter"])
  }

  @Test func `a shell is of use to a step or a hook with a text`() throws {
    _ = try spec("on: start, steps: [{run: [x]}, {run: y}], shell: /bin/bash")
    _ = try spec("on: start, run: [x], on_failure: {run: y}, shell: /bin/bash")
  }

  @Test func `a change is shown without what is secret`() throws {
    let folder = TemporaryFolder()
    let texts = [
      "run: x, stdin: hush1, secrets: {A: {env: hush2}}, retry: {attempts: 2}",
      """
      run: x, stdin: hush3, secrets: {A: {env: hush4}}, retry: {attempts: 3, on: exit},
      on_failure: {run: hush5}, limits: {memory: 1GB}, output: {rate: 5/s}
      """,
    ]
    let snapshots = try texts.map { text in
      let path = folder.write("jobs: {a: {on: start, \(text)}}\n", to: "jobs.yaml")
      return try #require(loader.load(path: path).snapshot)
    }
    let details = ReloadPlan(from: snapshots[0], to: snapshots[1]).steps.flatMap(\.details)
    #expect(details.map(\.key) == ["limits", "retry", "output", "secrets", "stdin", "on_failure"])
    #expect(details[0].from == nil && details[0].to == "memory 1GB")
    #expect(
      details[1].to
        == "attempts 3, delay 10s, factor 2.0, max 1h, jitter 0.0%, on exit, until exhausted")
    #expect(!"\(details)".contains("hush"))
  }
}
