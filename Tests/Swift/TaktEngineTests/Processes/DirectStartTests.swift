import Synchronization
import TaktCore
import TaktSystem
import TaktTesting
import Testing

@testable import TaktEngine

/// Simple commands that start without a shell, and the reports of their ends.
@Suite struct DirectStartTests {
  /// The end of a command, and its output.
  private func end(
    of text: String, isDirect: Bool, stopBy signal: StopSignal? = nil
  ) async throws -> (result: AttemptResult, lines: [String]) {
    let (events, continuation) = AsyncStream<SchedulerEvent>.makeStream()
    let sink = RecordingSink()
    let processes = try ProcessRunner(reactor: try Reactor(), sink: sink)
    let runner = CommandRunner(processes: processes) { continuation.yield($0) }
    let request = try Children.request(.shell(text)) { $0.isDirect = isDirect }
    runner.start([request])
    if let signal { runner.stop(request.run, signal: signal) }
    for await event in events {
      guard case .actionEnded(_, let report) = event else { continue }
      return (report.result, sink.lines.withLock(\.self))
    }
    throw CancellationError()
  }

  @Test(arguments: [9, 11, 2, 13, 15, 6, 34])
  func `a command that a signal ends is reported as by its shell`(signal: Int) async throws {
    let world = try ShellWorld()
    let text = "\(world["bin/show"]) --signal \(signal)"
    let usual = try await end(of: text, isDirect: false)
    let direct = try await end(of: text, isDirect: true)
    #expect(direct.result == usual.result)
    // The time of reading decides if the shell's word is a line of its own.
    #expect(direct.lines.joined() == usual.lines.joined())
    #expect(direct.lines.joined().hasPrefix("an error"))
  }

  @Test func `a command that takt stops ends by its signal, with a shell and without`() async throws
  {
    for isDirect in [true, false] {
      let stopped = try await end(of: "sleep 600", isDirect: isDirect, stopBy: .terminate)
      #expect(stopped.result == .signalled(15))
    }
  }

  @Test func `the text of a command stays what its shell would be given`() throws {
    let plain = Command(of: try Children.request(.shell("echo.exe  'a b'")))
    #expect(plain.arguments == ["/bin/sh", "-c", "echo.exe  'a b'"])
    #expect(plain.direct?.words == StandardShell.installed.map { _ in ["echo.exe", "a b"] })
    #expect(Command(of: try Children.request(.shell("a | b"))).direct == nil)
    #expect(Command(of: try Children.request(.shell("a")) { $0.isDirect = false }).direct == nil)
    #expect(Command(of: try Children.request(.argv(["a", "b"]))).direct == nil)
  }

  @Test(
    arguments: [
      ("dash", "a:/b/:", ["a/show", "/b//show", "show"]),
      ("bash", "a:/b/::/c//", ["a/show", "/b/show", "./show", "/c//show"]),
      ("dash", "~/a", ["~/a/show"]), ("bash", "~/a", nil), ("dash", "/a%func", nil),
      ("bash", "/a%func", ["/a%func/show"]), ("dash", "", nil), ("bash", "", nil),
      ("dash", "/\u{FFFD}", nil),
    ] as [(String, String, [String]?)])
  func `a program is looked for where the shell looks`(
    shell: String, path: String, places: [String]?
  ) throws {
    let shell = try #require(StandardShell.allCases.first { "\($0)" == shell })
    #expect(DirectStart(words: ["show"], of: shell).candidates(path: path) == places)
    #expect(DirectStart(words: ["./show"], of: shell).candidates(path: path) == ["./show"])
    #expect(DirectStart(words: ["show"], of: shell).candidates(path: nil) == nil)
  }

  @Test(arguments: [
    "A=b | keeps keeps", "C.D=x | drops keeps", "1=x | drops keeps", "PWD=/a/b | sets sets",
    "PWD=/a/../b | sets asks", "PWD=/ | sets sets", "_=/bin/x | keeps drops",
    "SHLVL=3 | keeps keeps", "SHLVL=03 | keeps asks", "SHLVL=999 | keeps asks",
    "SHLVL= | keeps asks",
    "IFS=x | asks asks", "OPTIND=2 | asks asks", "PPID=1 | asks asks", "LINENO=1 | asks asks",
    "BASH_FUNC_ls%%=() { :; } | asks asks", "BASH_ENV=/x | keeps keeps", "BASHOPTS=x | keeps asks",
    "SHELLOPTS=xtrace | keeps asks", "POSIXLY_CORRECT=1 | keeps asks", "PS4=x | keeps asks",
    "OLDPWD=/ | keeps asks", "LC_ALL=C.UTF-8 | keeps keeps", "LC_ALL=xx | keeps asks",
    "LANG=xx | keeps keeps", "=x | drops asks", "é=x | drops asks",
  ])
  func `a shell passes on what it does`(row: String) throws {
    let (entry, expected) = try #require(row.split(separator: " | ").pair)
    let (name, value) = try #require(
      entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).pair)
    let made = StandardShell.allCases.map { shell in
      var environment = ShellEnvironment(of: shell)
      environment.add("A", "b".utf8, at: 0)
      environment.add(String(name), value.utf8, at: 1)
      if !environment.isKnown { return "asks" }
      if environment.folder == 1 { return "sets" }
      return environment.dropped == [1] ? "drops" : "keeps"
    }
    #expect(made.joined(separator: " ") == String(expected))
    // For a job's own variable that is known before its command starts.
    let execution = Execution(environment: [String(name): String(value)])
    let said = StandardShell.allCases.map { shell in
      execution.directWords(of: "show", { shell.foresees($0, $1) }) == nil
    }
    #expect(said == made.map { $0 == "asks" })
  }

  @Test func `a secret in a variable whose value counts is for the shell`() {
    var execution = Execution()
    for (name, shells) in [
      ("A", StandardShell.allCases), ("PWD", [.dash]), ("LC_ALL", [.dash]), ("SHLVL", [.dash]),
      ("OLDPWD", [.dash]), ("IFS", []),
    ] {
      execution.secrets = [name: Secret(.environment("B"))]
      let direct = StandardShell.allCases.filter { shell in
        execution.directWords(of: "show", { shell.foresees($0, $1) }) != nil
      }
      #expect(direct == shells, "\(name)")
    }
  }

  @Test func `a shell is known by what its path leads to`() {
    #expect(StandardShell(at: "/bin/dash", isDebian: true) == .dash)
    #expect(StandardShell(at: "/bin/dash", isDebian: false) == nil)
    #expect(StandardShell(at: "/bin/bash", isDebian: true) == .bash)
    #expect(StandardShell(at: "/bin/bash", isDebian: false) == .bash)
    #expect(StandardShell(at: "/nonexistent/sh", isDebian: true) == nil)
    #expect(StandardShell(at: "/bin/ls", isDebian: true) == nil)
    let folder = TemporaryFolder()
    folder.makeLink("sh", to: "/bin/bash")
    #expect(StandardShell(at: folder["sh"], isDebian: false) == .bash)
    folder.write("Bash version 4.4", to: "bash")
    #expect(StandardShell(at: folder["bash"], isDebian: false) == nil)
  }
}

extension [Substring] {
  /// Both, if there are two.
  fileprivate var pair: (Substring, Substring)? { count == 2 ? (self[0], self[1]) : nil }
}
