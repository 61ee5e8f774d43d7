import TaktCore
import TaktTesting
import Testing

@testable import TaktConfig

/// Many jobs from one definition.
struct ForEachTests {
  private func jobs(_ text: String) throws -> [JobSpec] {
    let loaded = load(text)
    #expect(loaded.diagnostics.map(\.headline) == [])
    return try #require(loaded.snapshot?.jobs)
  }

  /// The commands of the jobs that `keys` make, for values of one variable `t`.
  private func commands(_ values: String, _ keys: String) throws -> [String] {
    try jobs("jobs:\n  a:\n    for_each: {t: \(values)}\n    every: 1h\n    \(keys)\n").map {
      switch $0.action {
      case .shell(let text): text
      case .argv(let words): words.joined(separator: "|")
      default: "another action"
      }
    }
  }

  @Test func `each combination of values makes a job, the last variable first`() throws {
    let jobs = try jobs(
      """
      jobs:
        backup:
          for_each: {tenant: [acme, globex], region: [eu, us], exclude: [{tenant: globex, region: us}]}
          every: 1h
          run: "./x {{each.tenant}} {{ each.region }}"
          description: "of {{each.tenant}}"

      """)
    #expect(jobs.map(\.name.text) == ["backup.acme.eu", "backup.acme.us", "backup.globex.eu"])
    #expect(jobs.map(\.action) == ["acme eu", "acme us", "globex eu"].map { .shell("./x \($0)") })
    #expect(jobs.map(\.summary) == ["of acme", "of acme", "of globex"])
    #expect(jobs.allSatisfy { $0.policies.family?.text == "backup" })
  }

  @Test func `an exclusion of one variable leaves out all its combinations`() throws {
    let jobs = try jobs(
      """
      jobs:
        x: {for_each: {a: [1, 2], b: [3, 4], exclude: [{b: 3}]}, on: start, run: x}

      """)
    #expect(jobs.map(\.name.text) == ["x.1.4", "x.2.4"])
  }

  @Test func `a mapping has texts of its own, and a value alone stays what it is`() throws {
    let jobs = try jobs(
      """
      jobs:
        dump:
          for_each: {db: {orders: {host: db1, tries: 7, on: true}, users: {host: db2, tries: 2, on: false}}}
          name: "{{each.db}}-dump"
          every: 1h
          run: [pg_dump, "--host={{each.db.host}}"]
          retry: {attempts: "{{each.db.tries}}"}
          enabled: "{{each.db.on}}"
          env: {DB: "{{each.db}}"}

      """)
    #expect(jobs.map(\.name.text) == ["orders-dump", "users-dump"])
    #expect(
      jobs.map(\.action) == [.argv(["pg_dump", "--host=db1"]), .argv(["pg_dump", "--host=db2"])])
    #expect(jobs.map(\.execution.retry.attempts) == [7, 2])
    #expect(jobs.map(\.timing.isEnabled) == [true, false])
    #expect(jobs.map(\.execution.environment) == [["DB": "orders"], ["DB": "users"]])
  }

  @Test func `the lines of a file are values`() throws {
    let folder = TemporaryFolder()
    folder.write("# tenants\n\n acme \nglobex\r\n#no\n", to: "tenants.txt")
    let path = folder.write(
      "jobs: {a: {for_each: {t: {file: tenants.txt}}, every: 1h, run: 'x {{each.t}}'}}\n",
      to: "jobs.yaml")
    let loaded = loader.load(path: path)
    #expect(loaded.diagnostics.map(\.headline) == [])
    #expect(loaded.snapshot?.names == ["a.acme", "a.globex"])
    #expect(loaded.files == [path, folder["tenants.txt"]])
  }

  @Test func `a mistake in a line is reported in its file, and its job is not loaded`() {
    let folder = TemporaryFolder()
    folder.write("acme\n\na b\nacme\n", to: "tenants.txt")
    let path = folder.write(
      "jobs: {a: {for_each: {t: {file: tenants.txt}}, every: 1h, run: x}}\n", to: "jobs.yaml")
    let loaded = loader.load(path: path)
    #expect(loaded.snapshot == nil)
    #expect(
      loaded.diagnostics.map { "\($0.location) \($0.code)" } == [
        "\(path):1:33 badValue", "tenants.txt:4:1 badValue",
      ])
    folder.write("acme\n\na b\n", to: "tenants.txt")
    #expect(
      loader.load(path: path).diagnostics.map { "\($0.location) \($0.code)" } == [
        "\(path):1:8 badName", "tenants.txt:3:1 badName",
      ])
  }

  @Test func `a file without lines makes no jobs, with a warning`() {
    let folder = TemporaryFolder()
    folder.write("# none yet\n", to: "tenants.txt")
    let loaded = loader.load(
      path: folder.write(
        "jobs: {a: {for_each: {t: {file: tenants.txt}}, every: 1h, run: x}, b: {every: 1h, run: x}}\n",
        to: "jobs.yaml"))
    #expect(loaded.snapshot?.names == ["b"])
    #expect(loaded.diagnostics.map(\.code) == [.suspicious])
  }

  @Test(arguments: [
    "a-b.c/d | run: echo {{each.t.x}} | echo a-b.c/d",
    "'a b' | run: echo x{{each.t.x}}y | echo x'a b'y",
    "\"it's\" | run: echo {{each.t.x}} | echo 'it'\\''s'",
    "'' | run: echo {{each.t.x}} | echo ''",
    "'$(reboot)' | run: 'echo {{each.t.x}}; ls' | echo '$(reboot)'; ls",
    "acme | run: 'echo \"{{each.t.x}}\"' | echo \"acme\"",
    "'a $b' | run: 'echo \"x {{each.t.x}}\"' | echo \"x \"'a $b'\"\"",
    "\"it's\" | run: \"echo 'x {{each.t.x}}'\" | echo 'x it'\\''s'",
    "'a b' | run: 'echo $(cat {{each.t.x}})' | echo $(cat 'a b')",
    "'a b' | run: \"# it's\\necho {{each.t.x}}\" | # it's\necho 'a b'",
    "if | run: '{{each.t.x}} true' | 'if' true",
    "2 | run: 'echo {{each.t.x}}>x' | echo '2'>x",
    "b | run: 'echo $a{{each.t.x}}' | echo $a'b'",
    "'a $b' | run: [echo, '-{{each.t.x}}-'] | echo|-a $b-",
    "'a $b' | run: [/bin/sh, -c, 'echo {{each.t.x}}'] | /bin/sh|-c|echo 'a $b'",
    "acme | run: 'x {{{{each.t}} {{y}} {{each.t.x}}' | x {{each.t}} {{y}} acme",
    "acme | run: [x, '{{{each.t.x}}}'] | x|{acme}",
    "acme | run: [x, '{{{{{{each.t.x}}'] | x|{{acme",
  ])
  func `a value is one word of the shell, and plain in a list`(row: String) throws {
    let parts = row.split(separator: " | ").map(String.init)
    #expect(try commands("{v: {x: \(parts[0])}}", parts[1]) == [parts[2]])
  }

  @Test(arguments: [
    "'$(( ))' | echo $(( {{each.t.x}} ))", "'((' | (( y = {{each.t.x}} ))",
    "'$[' | echo $[ {{each.t.x}} ]", "a word with '[' | a[{{each.t.x}}]=1",
    "a '$' | echo ${{each.t.x}}", "a '$' | echo \\\"${{each.t.x}}\\\"",
    "a comment | ls # {{each.t.x}}", "'<<' | cat <<END\\n{{each.t.x}}\\nEND",
    "a backquote | echo `cat {{each.t.x}}`", "a backslash | echo \\\\{{each.t.x}}",
    "a quote with '$' | echo $'a' {{each.t.x}}", "'${ }' | echo ${A:-{{each.t.x}}}",
    "'[[ ]]' | [[ 1 -eq {{each.t.x}} ]]", "'test' | test 1 -eq {{each.t.x}}",
    "'eval' | eval {{each.t.x}}", "'eval' | eval $(echo {{each.t.x}})",
    "'printf' | printf %d {{each.t.x}}", "'printf' | printf -v {{each.t.x}} a",
    "'declare' | declare {{each.t.x}}", "'read' | read {{each.t.x}}",
    "'trap' | trap {{each.t.x}} EXIT", "'case' | case x in {{each.t.x}}) ls;; esac",
    "a word with '{' | echo {{{each.t.x}},b}", "a word with '~' | ls ~{{each.t.x}}",
    "'REPORTTIME' | REPORTTIME={{each.t.x}}; ls /", "'REPORTMEMORY' | REPORTMEMORY={{each.t.x}}",
    "'SECONDS' | SECONDS={{each.t.x}}", "'PS4' | PS4={{each.t.x}}; set -x; ls",
    "'n' | n={{each.t.x}}; echo $((n))", "another shell | sh -c \\\"echo {{each.t.x}}\\\"",
    "not written out | $COMMAND {{each.t.x}}", "'&>' | ls &> x {{each.t.x}}",
    "'n' | n={{each.t.x}}; echo ${a[n]}", "'n' | n={{each.t.x}}; echo ${a:n:1}",
    "not plain | {eval {{each.t.x}}", "'${ }' | echo ${ eval } {{each.t.x}}; }",
    "of descriptors | ls >&{{each.t.x}}",
  ])
  func `a place where a shell could run a value is refused, whatever the value`(row: String)
    throws
  {
    let parts = row.split(separator: " | ").map(String.init)
    let loaded = load("jobs: {a: {for_each: {t: {v: {x: a}}}, on: start, run: \"\(parts[1])\"}}\n")
    #expect(loaded.snapshot == nil)
    let problem = try #require(loaded.diagnostics.first)
    #expect(rows([problem]) == ["1:56 badPlaceholder"])
    #expect(problem.message.contains(parts[0]), "\(problem.message)")
    #expect(problem.hint?.contains("env: {V: \"{{each.t.x}}\"}") == true)
  }

  @Test(arguments: [
    "shell: [bash, -euo, pipefail, -c]", "shell: /bin/dash", "shell: [zsh, -c]",
  ])
  func `options that leave a text alone are those of a usual shell`(shell: String) throws {
    #expect(try commands("{v: {x: 'a b'}}", "run: 'x {{each.t.x}}'\n    \(shell)") == ["x 'a b'"])
  }

  @Test(arguments: [
    "run: 'print({{each.t.x}})', shell: [python3, -c]", "run: 'x {{each.t.x}}', shell: [bash, -ic]",
    "run: 'x {{each.t.x}}', shell: [bash, -o, history, -c]",
    "run: 'x {{each.t.x}}', shell: [bash, -c, 'ssh host \"$0\"']",
    "run: [su, me, -c, 'x {{each.t.x}}']", "run: [env, bash, -ic, 'x {{each.t.x}}']",
  ])
  func `a shell that takt does not know gets no values`(keys: String) {
    let loaded = load("jobs: {a: {for_each: {t: {v: {x: 42}}}, on: start, \(keys)}}\n")
    #expect(loaded.diagnostics.map(\.code) == [.badPlaceholder])
  }

  @Test(arguments: [
    "{{Each.t}}", "{{each.t}", "{{each .t}}", "{{each t}}", "{{\\teach.t}}", "x{{{EACH.t}}}",
    "{{each.t\\n}}", "{{each.{t}}",
  ])
  func `what looks like a value and is none is refused at its place`(text: String) {
    let loaded = load("jobs: {a: {for_each: {t: [b]}, on: start, run: [x, \"\(text)\"]}}\n")
    #expect(rows(loaded.diagnostics) == ["1:52 badPlaceholder"])
  }

  @Test(arguments: [
    "run: [x, '{{{{each.t}}']", "run: 'x {{{{each.t}}'", "env: {A: '{{{{each.t}}'}, run: x",
  ])
  func `four braces stand for two, in a job without values too`(keys: String) throws {
    for definition in ["", "for_each: {t: [b]}, "] {
      let job = try #require(try jobs("jobs: {a: {\(definition)on: start, \(keys)}}\n").first)
      let texts = [
        "\(job.action)", job.execution.environment["A"] ?? "",
      ]
      #expect(texts.contains { $0.contains("{{each.t}}") && !$0.contains("{{{") }, "\(texts)")
    }
  }

  @Test func `four braces before other words stay in a command`() throws {
    let job = try #require(
      try jobs("jobs: {a: {on: start, run: 'x {{{{job}} {{{{each_t}}'}}\n").first)
    #expect(job.action == .shell("x {{{{job}} {{{{each_t}}"))
  }

  @Test func `a value makes no braces of what is beside it`() {
    for text in ["{{{each.t.x}}", "{{each.t.x}}{{each.t.y}}", "{{each.t.x}}{job}}"] {
      let loaded = load(
        "jobs: {a: {for_each: {t: {v: {x: '{', y: '{job}}'}}}, on: start, use: log, "
          + "with: {message: '\(text)'}}}\n")
      #expect(loaded.snapshot == nil)
      #expect(loaded.diagnostics.first?.message.contains("makes '{{'") == true, "\(text)")
    }
  }

  @Test func `commands of steps and hooks are quoted, and variables and parameters are not`() throws
  {
    let job = try #require(
      try jobs(
        """
        jobs:
          a:
            for_each: {t: {v: {x: "a b"}}}
            on: start
            steps: [{run: "x {{each.t.x}}"}, {run: [x, "{{each.t.x}}"]}, {use: log, with: {message: "{{job}} {{each.t.x}}"}}]
            env: {run: "{{each.t.x}}"}
            on_failure: {add: [{run: "y {{each.t.x}}"}]}
            on_success: {run: "z {{each.t.x}}"}

        """
      ).first)
    #expect(job.action.steps.map(\.action).prefix(2) == [.shell("x 'a b'"), .argv(["x", "a b"])])
    #expect(job.execution.environment == ["run": "a b"])
    #expect(job.hooks[.onFailure]?.map(\.action) == [.shell("y 'a b'")])
    #expect(job.hooks[.onSuccess]?.map(\.action) == [.shell("z 'a b'")])
    guard case .use(_, let parameters) = job.action.steps[2].action else {
      Issue.record("no built-in")
      return
    }
    #expect(parameters["message"] == .string("{{job}} a b"))
  }

  @Test(arguments: [
    "wrongType | for_each: »[a, b], on: start, run: x",
    "wrongType | for_each: {t: »a}, on: start, run: x",
    "badValue | for_each: {t: »[]}, on: start, run: x",
    "badValue | for_each: »{}, on: start, run: x",
    "badValue | for_each: »{exclude: [{t: a}]}, on: start, run: x",
    "badName | for_each: {»a.b: [x]}, on: start, run: x",
    "badValue | for_each: {t: [a, b, »a]}, on: start, run: x",
    "badValue | for_each: {t: [»'']}, on: start, run: x",
    "wrongType | for_each: {t: [»null]}, on: start, run: x",
    "wrongType | for_each: {t: [»[a]]}, on: start, run: x",
    "badValue | for_each: {t: [»'{{x']}, on: start, run: x",
    "badValue | for_each: {t: [»\"a\\nb\"]}, on: start, run: x",
    "badName | for_each: {t: [»a b]}, on: start, run: x",
    "badName | for_each: {t: [a]}, name: »'-{{each.t}}', on: start, run: x",
    "wrongType | for_each: {t: {a: »b}}, on: start, run: x",
    "unreadable | for_each: {t: {file: »none.txt}}, on: start, run: x",
    "badPlaceholder | for_each: {t: [a]}, on: start, run: »'{{each.u}}'",
    "badPlaceholder | for_each: {t: [a]}, on: start, run: »'{{each}}'",
    "badPlaceholder | for_each: {t: [a]}, on: start, run: »'{{each.t.x}}'",
    "badPlaceholder | for_each: {t: {a: {x: 1}, b: {y: 1}}}, on: start, run: »'{{each.t.x}}'",
    "unknownKey | for_each: {t: [a], exclude: [{»u: a}]}, on: start, run: x",
    "wrongType | for_each: {t: [a], exclude: »{t: a}}, on: start, run: x",
    "badPlaceholder | on: start, run: »'{{each.t}}'",
    "missingKey | on: start, run: x, »name: x",
    "duplicateJob | for_each: {t: [a, b]}, name: »same, on: start, run: x",
    "badDuration | for_each: {t: [a]}, every: »'{{each.t}}', run: x",
  ])
  func `a mistake is reported at its place`(row: String) throws {
    try check(badRow: row) { "jobs: {a: {\($0)}, other: {on: start, run: x}}\n" }
  }

  @Test func `too many jobs are refused before they are made`() {
    let list = "[\((0..<400).map { "v\($0)" }.joined(separator: ", "))]"
    let loaded = load("jobs: {a: {for_each: {t: \(list), u: \(list)}, on: start, run: x}}\n")
    #expect(loaded.diagnostics.map(\.code) == [.outOfRange])
  }

  @Test func `texts that grow beyond all bounds are refused, and no more are made`() {
    // The last one of these exceeds the bound.
    let list = "[\((0..<672).map { "v\($0)" }.joined(separator: ", "))]"
    let text = String(repeating: "x", count: 100_000)
    let loaded = load(
      """
      jobs:
        a: {for_each: {t: \(list)}, on: start, run: x, env: {X: '\(text) {{each.t}}'}}
        b: {on: start, run: x}
      """)
    #expect(
      loaded.diagnostics.map { "\($0.code): \($0.message)" } == [
        "outOfRange: more than 64 MB of text come of 'for_each' in job 'a'"
      ])
  }

  @Test func `all definitions together make a million jobs at most`() {
    let budget = EachBudget()
    for _ in 0..<1_000_000 { budget.spendMember() }
    #expect(budget.excess == nil)
    budget.spendMember()
    #expect(budget.excess == "more than 1000000 jobs come of 'for_each'")
  }

  @Test func `a file of too many lines is refused at its name`() {
    let folder = TemporaryFolder()
    folder.write((0...100_000).map { "v\($0)\n" }.joined(), to: "lines.txt")
    let path = folder.write(
      "jobs: {a: {for_each: {t: {file: lines.txt}}, on: start, run: x}}\n", to: "jobs.yaml")
    #expect(rows(loader.load(path: path).diagnostics) == ["1:33 outOfRange"])
  }

  @Test func `of many combinations those of any exclusion are left out`() throws {
    let names = (0..<200).map { "v\($0)" }
    let list = "[\(names.joined(separator: ", "))]"
    let diagonal = names.map { "{t: \($0), u: \($0)}" }.joined(separator: ", ")
    let jobs = try jobs(
      "jobs: {a: {for_each: {t: \(list), u: \(list), exclude: [\(diagonal), {u: v7}]}, "
        + "on: start, run: x}}\n")
    #expect(jobs.count == 200 * 200 - 200 - 199)
    #expect(!jobs.contains { $0.name.text == "a.v3.v3" || $0.name.text == "a.v3.v7" })
  }

  @Test(arguments: [
    "'{{ each.t }}'", "\"\\x7b{each.t}}\"", "\"{{\\\n        each.t}}\"",
    "\"{{ea\\\n        ch.t}}\"", "\"{{\\u0065ach.t}}\"",
  ])
  func `a value without a definition is found however its text is written`(text: String) {
    #expect(
      load("jobs: {a: {on: start, run: \(text)}}\n").diagnostics.map(\.code) == [.badPlaceholder])
  }

  @Test func `an exclusion of a value that there is not is doubtful`() {
    let loaded = load(
      "jobs: {a: {for_each: {t: [acme], exclude: [{t: acne}]}, on: start, run: x}}\n")
    #expect(loaded.snapshot?.names == ["a.acme"])
    #expect(loaded.diagnostics.map(\.code) == [.suspicious])
    #expect(loaded.diagnostics.first?.hint == "did you mean 'acme'?")
  }

  @Test func `a name that another job has is an error with both places, in any order`() {
    let family = "a: {for_each: {t: [x, y]}, on: start, run: x}"
    for text in ["\(family)\n  a.y: {on: start, run: x}", "a.y: {on: start, run: x}\n  \(family)"] {
      let loaded = load("jobs:\n  \(text)\n")
      #expect(loaded.diagnostics.map(\.code) == [.duplicateJob])
      #expect(loaded.diagnostics.first?.location.line == 3)
      #expect(loaded.diagnostics.first?.message.contains("jobs.yaml:2:3") == true)
    }
  }

  @Test(arguments: [
    "a: {for_each: {t: [a, b]}, name: '{{each.t}}', on: start, run: x}",
    "a: {for_each: {t: [x]}, on: start, run: x}\n  b: {for_each: {t: [a]}, name: '{{each.t}}', on: start, run: x}",
  ])
  func `a job with the name of a definition is a warning at the definition`(jobs: String) {
    let loaded = load("jobs:\n  \(jobs)\n")
    #expect(rows(loaded.diagnostics) == ["2:3 duplicateJob"])
    #expect(loaded.snapshot?.names.contains("a") == true, "it is a warning")
  }

  @Test func `a value in defaults is refused`() {
    let job = "jobs: {a: {for_each: {t: [x]}, on: start, run: x}}\n"
    let found = load("defaults: {env: {T: '{{each.t}}'}}\n\(job)").diagnostics
    #expect(rows(found) == ["1:21 badPlaceholder"])
  }

  @Test func `a reload touches only the jobs whose texts differ`() throws {
    func snapshot(_ values: String) throws -> Snapshot {
      let jobs = try jobs(
        """
        defaults: {timeout: 1m, cwd: /}
        jobs: {a: {for_each: {t: \(values)}, every: 1h, run: 'x {{each.t.v}}'}}

        """)
      return Snapshot(settings: SchedulerSettings(), jobs: jobs)
    }
    let plan = ReloadPlan(
      from: try snapshot("{b: {v: 1}, c: {v: 2}, d: {v: 3}}"),
      to: try snapshot("{b: {v: 1}, c: {v: 4}, e: {v: 3}}"))
    #expect(
      plan.steps.map { "\($0.change.rawValue) \($0.spec.name)" }.sorted()
        == ["added a.e", "removed a.d", "updated a.c"])
    #expect(plan.keptCount == 1)
  }
}
