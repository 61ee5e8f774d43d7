import Foundation
import Glibc
import TaktSystem
import TaktTesting
import Testing

@testable import TaktCore
@testable import TaktEngine

/// The surroundings of a child, as the child sees them.
@Suite struct SpawnTests {
  @Test func `a child has the umask of its job`() throws {
    #expect(try Children.lines(.shell("umask")) { $0.umask = 0o027 } == ["0027"])
  }

  @Test func `a child reads the text that is its standard input, however long it is`() throws {
    #expect(try Children.lines(.argv(["cat"])) { $0.stdin = "a\nb\n" } == ["a", "b"])
    let long = String(repeating: "0123456789", count: 500_000)
    #expect(try Children.lines(.argv(["wc", "-c"])) { $0.stdin = long } == ["5000000"])
    #expect(try Children.lines(.argv(["wc", "-c"])) == ["0"])
    #expect(try Children.lines(.argv(["wc", "-c"])) { $0.stdin = "" } == ["0"])
  }

  @Test func `a program is looked for in the child's own PATH`() throws {
    let folder = TemporaryFolder()
    #expect(symlink("/bin/echo", folder.path + "/only-here") == 0)
    let action = Action.argv(["only-here", "found"])
    #expect(try Children.lines(action) { $0.environment = ["PATH": folder.path] } == ["found"])
    #expect(try Children.failure(action) == "exec ENOENT")
    #expect(try Children.lines(.argv(["true"])) { $0.inheritance = .none } == [])
  }

  @Test func `a child inherits all, nothing or what is listed`() throws {
    let env = Action.argv(["env"])
    func foreign(_ change: (inout Execution) -> Void) throws -> [String] {
      try Children.lines(env, change).filter { !$0.hasPrefix("TAKT_") }.sorted()
    }
    let path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    #expect(try foreign { $0.inheritance = .none } == [path])
    #expect(try foreign { $0.inheritance = .only(["NO_SUCH_VARIABLE"]) } == [path])
    let own = try #require(ProcessInfo.processInfo.environment["PATH"])
    #expect(
      try foreign {
        $0.inheritance = .only(["PATH"])
        $0.environment = ["A": "b=c"]
      } == ["A=b=c", "PATH=\(own)"])
    #expect(try foreign { _ in }.contains("PATH=\(own)"))
  }

  @Test func `a child has the facts of its run`() throws {
    let mark = AttemptMark.make()
    let lines = try Children.lines(
      .argv(["env"]), { $0.environment = ["TAKT_JOB": "not this"] }, mark: mark)
    let expected = [
      "TAKT_JOB=job", "TAKT_RUN=7", "TAKT_ATTEMPT=2", "TAKT_SLOT=1970-01-01T00:00:01.500Z",
      "TAKT_INSTANCE=\(DaemonProcess.instance)", "TAKT_ATTEMPT_ID=\(mark)",
    ]
    #expect(Set(lines.filter { $0.hasPrefix("TAKT_") }) == Set(expected))
  }

  @Test func `a child of a claimed run has its fencing number, any other has none`() throws {
    var request = try Children.request(.argv(["env"]))
    request.fence = ClaimToken(18_446_744_073_709_551_615)
    let command = Command(of: request)
    #expect(command.facts.last { $0.0 == .fence }?.1 == "18446744073709551615")
    let lines = try Children.lines(.shell("echo \"<$TAKT_FENCE>\"")) {
      $0.environment = ["TAKT_FENCE": "not this"]
    }
    #expect(lines == ["<>"])
    let claimed = try Children.lines(.shell("echo \"<$TAKT_FENCE>\""), fence: ClaimToken(12))
    #expect(claimed == ["<12>"])
  }

  @Test func `a plugin gets the fencing number of a claimed run`() throws {
    let manifest = PluginManifest(name: "p", version: "1", command: ["true"], folder: "/")
    for (fence, text) in [(ClaimToken(41), #","fence":41,"#), (nil, "")] {
      var request = try Children.request(.plugin(manifest, [:]))
      request.fence = fence
      let call = try PluginCall(manifest, [:], of: request)
      let line = String(
        decoding: call.start(of: request, deadline: nil, withSecrets: false), as: UTF8.self)
      #expect(line.contains("fence") == (fence != nil) && (text.isEmpty || line.contains(text)))
    }
  }

  @Test func `a hook has the facts of the run that it is for`() throws {
    let facts = RunFacts(
      hook: .onFailure, run: RunID(5), attempts: 3, end: RunEnd(.failed, .exit(4)),
      duration: .milliseconds(1234), lateness: .milliseconds(56), failureStreak: 9,
      output: KeptOutput(head: Array("no\u{0}t lost\n".utf8)))
    let mark = AttemptMark.make()
    let lines = try Children.lines(
      .shell(
        """
        echo $TAKT_HOOK $TAKT_RUN $TAKT_OUTCOME "$TAKT_REASON" $TAKT_ATTEMPT $TAKT_DURATION_MS
        echo $TAKT_LATE_MS $TAKT_STREAK "$TAKT_OUTPUT" $TAKT_ATTEMPT_ID
        """), facts: facts, mark: mark)
    #expect(lines == ["on_failure 5 failed exit(4) 3 1234", "56 9 not lost", " \(mark)"])
  }

  @Test(arguments: [
    (KeptOutput(head: Array("short".utf8)), "short"),
    (KeptOutput(head: Array("he".utf8), tail: Array("ad".utf8)), "head"),
    (KeptOutput(head: Array("head".utf8), tail: Array("tail".utf8), droppedBytes: 1), "tail"),
    (KeptOutput(head: [0xA4, 0xC3], tail: [0xA4, 0x62], droppedBytes: 1), "b"),
  ])
  func `a hook sees the end of the output`(output: KeptOutput, text: String) {
    #expect(Command.text(of: output) == text)
  }

  @Test func `a hook sees no more than 4 KiB of any output`() {
    for byte in [UInt8(ascii: "x"), 0xFF, 0xC3] {
      let output = KeptOutput(head: [UInt8](repeating: byte, count: 100_000))
      let count = Command.text(of: output).utf8.count
      #expect(count > 4000 && count <= 4096)
    }
  }

  @Test func `limits hold for the child`() throws {
    let lines = try Children.lines(.shell("ulimit -n; ulimit -c; ulimit -f; ulimit -t; ulimit -v"))
    {
      $0.limits.files = 20
      $0.limits.coreBytes = 0
      $0.limits.fileSizeBytes = 512 * 1000
      $0.limits.cpuSeconds = 30
      $0.limits.memoryBytes = 1 << 30
    }
    #expect(lines == ["20", "0", "1000", "30", "1048576"])
    #expect(try Children.lines(.shell("ulimit -p")) { $0.limits.processes = 4000 } == ["4000"])
  }

  @Test func `a limit that cannot be set stops the start`() throws {
    // No process may open more than the system's own bound, not even root.
    #expect(try Children.failure(.shell("true")) { $0.limits.files = .max } == "limits EPERM")
  }

  @Test func `secrets reach the child as a variable or as a file`() throws {
    let folder = TemporaryFolder()
    let file = folder.write(Array("from file\n\n".utf8), to: "secret")
    let change: (inout Execution) -> Void = {
      $0.secrets = [
        "A": Secret(.file(file)), "B": Secret(.file(file), delivery: .file),
        "C": Secret(.environment("PATH"), delivery: .file),
      ]
    }
    let path = try #require(ProcessInfo.processInfo.environment["PATH"])
    let lines = try Children.lines(
      .shell("echo \"<$A>\"; echo $B $C; cat $B; cat $B; cat $C; echo; echo x >>$B || echo sealed"),
      change)
    #expect(
      lines == [
        "<from file>", "/proc/self/fd/3 /proc/self/fd/4", "from filefrom file" + path, "sealed",
      ])
    let child = try Spawn.start(try Children.request(.argv(["true"]), change))
    #expect(
      child.secrets.map { String(decoding: $0, as: UTF8.self) }.sorted()
        == [path, "from file", "from file"].sorted())
    Children.end(child, by: SIGKILL)
  }

  @Test(arguments: [
    ("pw", "pw"), ("pw\n", "pw"), ("pw\r\n", "pw"), ("pw\n\n", "pw"), ("pw \n", "pw "),
    ("\u{feff}pw\r\n", "\u{feff}pw"), ("a\nb\n", "a\nb"), ("\n", ""),
  ])
  func `the line ends of a secret's file are not part of it`(text: String, value: String) throws {
    let folder = TemporaryFolder()
    let file = folder.write(Array(text.utf8), to: "secret")
    let secret = try SecretReader.value(of: Secret(.file(file)))
    #expect(String(decoding: secret, as: UTF8.self) == value)
  }

  @Test func `descriptors of the caller come before those of secrets`() throws {
    let folder = TemporaryFolder()
    let file = folder.write(Array("secret".utf8), to: "secret")
    let other = open(folder.write(Array("other\n".utf8), to: "other"), O_RDONLY | O_CLOEXEC)
    defer { close(other) }
    let lines = try Children.lines(
      .shell("cat <&3; cat $S; echo; echo $S; ls /proc/$$/fd"),
      { $0.secrets = ["S": Secret(.file(file), delivery: .file)] }, descriptors: [other])
    #expect(lines == ["other", "secret", "/proc/self/fd/4", "0", "1", "2", "3", "4"])
  }

  @Test func `a secret that is not available stops the start`() throws {
    let folder = TemporaryFolder()
    let fifo = "\(folder.path)/fifo"
    mkfifo(fifo, 0o600)
    let long = folder.write([UInt8](repeating: 65, count: 65_537), to: "long")
    let zero = folder.write([65, 0, 65], to: "zero")
    for (secret, failure) in [
      (Secret(.file("/no/such/file")), "ENOENT"), (Secret(.file(fifo)), "EINVAL"),
      (Secret(.file("/tmp")), "EISDIR"), (Secret(.file(long)), "EFBIG"),
      (Secret(.file(zero)), "EINVAL"), (Secret(.environment("NO_SUCH_VARIABLE")), "ENOENT"),
    ] {
      #expect(
        try Children.failure(.shell("true")) { $0.secrets = ["S": secret] } == "secret \(failure)")
    }
  }

  @Test func `a word with a zero byte in it is refused, not cut`() throws {
    #expect(try Children.failure(.argv(["echo", "a\u{0}b"])) == "exec EINVAL")
    #expect(
      try Children.failure(.argv(["env"])) { $0.environment = ["A": "a\u{0}b"] } == "exec EINVAL")
  }

  @Test(arguments: [
    "1 (a) S 2 3 4 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 77 0 | a | 77",
    "1 (a) R (b) Z 2 3 4 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 77 0 | a) R (b | 77",
  ])
  func `a program's name may look like the process table`(row: String) throws {
    let parts = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    let status = try #require(ProcessStatus.parse(Array(parts[0].utf8), 1))
    #expect(status.name == parts[1])
    #expect(status.startTicks == UInt64(parts[2]))
    #expect((status.parent, status.group, status.session) == (2, 3, 4))
  }
}
