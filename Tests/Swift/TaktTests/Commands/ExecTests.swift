import Foundation
import Testing

/// One run in the foreground, and its exit status.
@Suite(.ownThreads) struct ExecTests {
  private func exec(_ yaml: String, _ arguments: [String] = ["job"]) throws -> TaktAnswer {
    try TemporaryFolder("jobs:\n  job: {every: 1h, \(yaml)}\n").takt(["exec"] + arguments)
  }

  @Test(arguments: [
    ("run: 'exit 0'", Int32(0)),
    ("run: exit 7", 7),
    ("run: exit 7, success: {exit: [7]}", 0),
    ("run: kill -9 $$", 137),
    ("run: sleep 1000, timeout: 50ms", 124),
    ("run: [no-such-program]", 127),
    ("run: [/etc/passwd]", 126),
    ("run: echo no, fails_when: {stdout: no}", 1),
    ("use: signal, with: {pid_file: missing, signal: HUP}", 1),
    ("use: log, with: {message: hello}", 0),
  ])
  func `the exit status is that of the run`(yaml: String, status: Int32) throws {
    #expect(try exec(yaml).status == status, "\(yaml)")
  }

  @Test func `what the run prints comes as it is, on its own stream`() throws {
    let result = try exec(
      #"run: ["printf", "a\\tb\\nno end"], retry: {attempts: 2}"#, ["job", "--quiet"])
    #expect(result.output == "a\tb\nno end")
    let errors = try exec("run: 'echo wrong >&2; exit 2'")
    #expect(errors.output.isEmpty)
    #expect(errors.errors.contains("wrong\n"))
    #expect(errors.errors.contains("exit(2)"))
  }

  @Test func `all bytes come through, however slow the reader and whatever they are`() throws {
    let folder = try TemporaryFolder(
      """
      jobs:
        job:
          every: 1h
          run: head -c 5000000 /dev/urandom | tee sent
          output: {log: false}
      """)
    let script = "'\(TaktProcess.executable.path)' exec job | (sleep 0.3; cat > got)"
    let shell = try TaktProcess(["-c", script], program: "/bin/sh", in: folder)
    #expect(shell.waitForExit() == 0)
    let sent = try Data(contentsOf: folder.url.appendingPathComponent("sent"))
    #expect(sent.count == 5_000_000)
    #expect(try Data(contentsOf: folder.url.appendingPathComponent("got")) == sent)
  }

  @Test func `a reader that goes away does not keep the run`() throws {
    let folder = try TemporaryFolder(
      "jobs:\n  job: {every: 1h, run: 'seq 1 1000000; echo over > over'}\n")
    let script = "'\(TaktProcess.executable.path)' exec job | head -1"
    let shell = try TaktProcess(["-c", script], program: "/bin/sh", in: folder)
    #expect(try shell.text() == "1\n")
    #expect(shell.waitForExit() == 0)
    #expect(folder.read("over") == "over\n")
  }

  @Test func `who prints without end ends with its reader`() throws {
    let folder = try TemporaryFolder("jobs:\n  job: {every: 1h, run: [yes]}\n")
    let script = "'\(TaktProcess.executable.path)' exec job | head -1"
    let shell = try TaktProcess(["-c", script], program: "/bin/sh", in: folder)
    #expect(try shell.text() == "y\n")
    #expect(shell.waitForExit() == 0)
    #expect(shell.errors.contains("signal(13)"))
  }

  @Test func `output that cannot be written is a failure`() throws {
    let folder = try TemporaryFolder("jobs:\n  job: {every: 1h, run: seq 1 1000}\n")
    let script = "'\(TaktProcess.executable.path)' exec job > /dev/full"
    let shell = try TaktProcess(["-c", script], program: "/bin/sh", in: folder)
    #expect(shell.waitForExit() == 1)
    #expect(shell.errors.contains("output cannot be written: No space left on device"))
  }

  @Test(arguments: [
    ("run: 'true', cwd: /no/such", "cannot enter the folder '/no/such': No such file"),
    ("run: [nowhere]", "cannot execute the program 'nowhere': No such file"),
    (
      "run: 'true', secrets: {S: {env: NOT_THERE}}",
      "the secret 'S' from the variable 'NOT_THERE' is not available: No such file"
    ),
  ])
  func `what cannot start is called by its name`(yaml: String, sentence: String) throws {
    let result = try exec(yaml)
    #expect(result.status != 0)
    #expect(result.errors.contains(sentence), "\(result.errors)")
  }

  @Test(arguments: [
    (
      "#!/bin/sh\r\necho\r\n",
      "it has Windows line ends: its '#!' line ends with a carriage return; "
        + "save it with Unix line ends, as dos2unix does"
    ),
    (
      "#!/no/such/sh\necho\n",
      "it names the interpreter '/no/such/sh', which does not exist; "
        + "install it, or correct the '#!' line"
    ),
    (
      "\u{feff}#!/bin/sh\necho\n",
      "it starts with a byte order mark, which hides its '#!' line; "
        + "save it as UTF-8 without a byte order mark"
    ),
    (
      "echo\n",
      "it is a text without a '#!' line; "
        + "start it with '#!/bin/sh', or name its interpreter before it"
    ),
    ("", "it is empty; write the program"),
  ])
  func `a program that is there and cannot be executed says why`(
    text: String, sentence: String
  ) throws {
    let folder = try TemporaryFolder()
    try folder.writeProgram(text, to: "script")
    for (keys, name) in [
      ("run: [./script]", "./script"), ("run: [script], env: {PATH: .}", "script"),
    ] {
      try folder.write("jobs:\n  job: {every: 1h, \(keys)}\n")
      let takt = try folder.takt("exec", "job")
      #expect([126, 127].contains(takt.status))
      #expect(
        takt.errors.contains("cannot execute the program '\(name)': \(sentence)"), "\(takt.errors)")
    }
  }

  @Test(arguments: ["while :; do :; done", "sh -c 'while :; do :; done'; exit $?"])
  func `a run that a limit of processor time has ended says so`(command: String) throws {
    let result = try exec("run: \"\(command)\", limits: {cpu: 1s}")
    #expect(result.status == 137)
    #expect(result.errors.contains("Killed after "), "\(result.errors)")
    #expect(
      result.errors.contains("of processor time: `limits.cpu` ends a process after 1s."),
      "\(result.errors)")
  }

  @Test func `a run that something else has killed does not name the limit`() throws {
    let result = try exec("run: kill -9 $$, limits: {cpu: 60s}")
    #expect(result.status == 137)
    #expect(!result.errors.contains("limits.cpu"), "\(result.errors)")
  }

  @Test func `retries and hooks are done, and the slot is the one asked for`() throws {
    let result = try exec(
      """
      retry: {attempts: 2, delay: 1ms}, run: 'echo $TAKT_ATTEMPT $TAKT_SLOT; [ $TAKT_ATTEMPT = 2 ]',
          on_success: {run: echo hook}
      """, ["job", "--slot", "2026-12-24T18:00:00+01:00"])
    #expect(result.status == 0)
    #expect(result.output == "1 2026-12-24T17:00:00.000Z\n2 2026-12-24T17:00:00.000Z\nhook\n")
  }

  @Test func `the fencing number of a run round this one is not handed on`() throws {
    let folder = try TemporaryFolder(
      "jobs:\n  job: {on: start, run: 'echo \"<$TAKT_FENCE><$TAKT_JOB>\"'}\n")
    let takt = try TaktProcess(
      ["TAKT_FENCE=9", TaktProcess.executable.path, "exec", "job"], program: "/usr/bin/env",
      in: folder)
    #expect(try takt.text() == "<><job>\n")
    #expect(takt.waitForExit() == 0)
  }

  @Test func `a job that does not exist is reported, with the nearest name`() throws {
    let result = try exec("run: date", ["jobb"])
    #expect(result.status == 64)
    #expect(result.errors.contains("no job 'jobb'"))
    #expect(result.errors.contains("did you mean 'job'?"))
  }

  @Test func `an interrupted run is ended with all that belongs to it`() throws {
    let folder = try TemporaryFolder(
      "jobs:\n  job: {on: start, run: 'echo up; sleep 1000 & wait'}\n")
    let takt = try TaktProcess(["exec", "job"], in: folder)
    takt.onBytes = { _ in takt.signal(SIGINT) }
    #expect(try takt.text() == "up\n")
    #expect(takt.waitForExit() == 1)
    #expect(takt.errors.contains("shutdown"))
  }
}
