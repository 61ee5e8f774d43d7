import TaktCore
import Testing

/// Command texts that need no shell, and their words.
@Suite struct PlainCommandTests {
  @Test(
    arguments: [
      ("true.exe", ["true.exe"]),
      ("/usr/bin/true", ["/usr/bin/true"]),
      ("./job.sh", ["./job.sh"]),
      ("rsync -a in/ out/", ["rsync", "-a", "in/", "out/"]),
      ("  rsync\t-a \t in/ ", ["rsync", "-a", "in/"]),
      ("rsync -a\n", ["rsync", "-a"]),
      ("dd if=/dev/zero of=x bs=1M,count=2", ["dd", "if=/dev/zero", "of=x", "bs=1M,count=2"]),
      ("date +%F", ["date", "+%F"]),
      ("git show HEAD^ user@host:x", ["git", "show", "HEAD^", "user@host:x"]),
      ("show if then do echo", ["show", "if", "then", "do", "echo"]),
      ("show '' \"\" a''b", ["show", "", "", "ab"]),
      ("show 'a b' \"c d\"e'f'", ["show", "a b", "c def"]),
      (#"show '$x `y` \ * # ~ ! ; |'"#, ["show", #"$x `y` \ * # ~ ! ; |"#]),
      (#"show "'*?[~#;|&<>(){}!" "#, ["show", "'*?[~#;|&<>(){}!"]),
      (#"show "\\ \" \$ \` \a \'""#, ["show", #"\ " $ ` \a \'"#]),
      (#"show a\ b \$x \\ \" \* \n"#, ["show", "a b", "$x", #"\"#, "\"", "*", "n"]),
      ("./echo x", ["./echo", "x"]),
    ] as [(String, [String])])
  func `words as a shell would split them`(text: String, words: [String]) {
    #expect(PlainCommand.words(of: text) == words)
  }

  @Test(arguments: [
    "", " ", "\n", "\t", "a\nb", "a\n\n", "\na", "a\r", "a \u{1}", "a \u{7f}",
    "a | b", "a & b", "a; b", "a < b", "a > b", "a 2>b", "(a)", "a (b)", "a $b", "a \"$b\"",
    "a `b`", "a \"`b`\"", "a *", "a b?", "a [b]", "a ]", "a ~", "a ~/b", "a b~", "a x=~", "a #b",
    "a b#c", "a !", "! a", "{ a", "a {b,c}", "a }", "A=b", "A=b c", "a=b/c d", "-a", "+a", " -a",
    " +a",
    "'a'", "\"a\"", #"\a"#, #"a\b c"#, "%1", "a,b", "a:b", "@a", "^a", "=a",
    "a 'b", "a \"b", #"a b\"#, #"a "b\"#, "a \\\n", #"a "b\c"# + "\n\"", "a 'b\nc'",
    "a ü", "a 'ü'", "a \"日本\"", "ä", "a \\ü",
    "echo x", "cd /", "test x", "[ x ]", "printf x", "kill 1", "exec x", "ulimit -n", "umask",
    "wait", ". x", ":", "true", "false", "times", "time a", "if a", "for a", "while a", "case a",
    "[[ a", "function a", "select a", "coproc a", "local a", "declare a", "source a", "let a",
    "pwd", "read a", "type a", "command a", "builtin a", "enable", "hash", "trap", "set a",
    "setsid a", "nice setsid a", "/usr/bin/setsid a",
    String(repeating: "a", count: 20_000),
  ])
  func `a text for the shell`(text: String) {
    #expect(PlainCommand.words(of: text) == nil)
  }

  /// A shell that leaves all variables as they are.
  private static func foresees(_ name: String, _ value: String?) -> Bool { true }

  @Test func `another shell, and a job that wants one, always get the text`() {
    var execution = Execution()
    #expect(execution.directWords(of: "a b", Self.foresees) == ["a", "b"])
    execution.isDirect = false
    #expect(execution.directWords(of: "a b", Self.foresees) == nil)
    execution = Execution(shell: ["/bin/bash", "-c"])
    #expect(execution.directWords(of: "a b", Self.foresees) == nil)
    execution = Execution(shell: ["/bin/sh", "-ec"])
    #expect(execution.directWords(of: "a b", Self.foresees) == nil)
  }

  @Test(arguments: ["", "/a%b:/bin", "~/bin:/bin"])
  func `a search path of the job that is for the shell to deal with`(path: String) {
    #expect(Execution(environment: ["PATH": path]).directWords(of: "a b", Self.foresees) == nil)
    #expect(
      Execution(environment: ["APATH": path]).directWords(of: "a b", Self.foresees) == ["a", "b"])
  }

  @Test func `a variable that the shell may change is for the shell to deal with`() {
    var execution = Execution(environment: ["A": "1", "B": "2"])
    execution.secrets = ["C": Secret(.environment("D"))]
    #expect(execution.directWords(of: "a b", Self.foresees) == ["a", "b"])
    // The value of a secret is not known yet.
    for (name, value) in [("A", "1"), ("B", "2"), ("C", nil)] {
      let words = execution.directWords(of: "a b") { !($0 == name && $1 == value) }
      #expect(words == nil, "\(name)")
    }
  }

  @Test func `a job says which of its commands need no shell`() throws {
    func paths(
      _ action: Action, _ change: (inout JobSpec) -> Void = { _ in }
    ) throws -> [String] {
      var spec = JobSpec(
        name: try #require(JobName("a")), timing: Timing(schedule: Schedule()), action: action)
      change(&spec)
      return spec.directPaths(Self.foresees)
    }
    #expect(try paths(.shell("a b")) == ["run"])
    #expect(try paths(.shell("a | b")) == [])
    #expect(try paths(.argv(["a", "b"])) == [])
    let steps = ["a", "b > c", "d 'e f'"].map { Step(.shell($0)) } + [Step(.argv(["g"]))]
    #expect(try paths(.steps(steps)) == ["steps[1].run", "steps[3].run"])
    let all = try paths(.shell("a b")) { spec in
      spec.policies.onlyIf = Shared(Condition(.shell("c d")))
      spec.hooks = [.onSuccess: [Step(.shell("e"))], .onFailure: steps]
    }
    #expect(
      all == ["run", "only_if.run", "on_failure[1].run", "on_failure[3].run", "on_success[1].run"])
  }
}
