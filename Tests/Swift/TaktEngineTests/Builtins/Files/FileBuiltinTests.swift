import Foundation
import Glibc
import TaktCore
import TaktTesting
import Testing

@testable import TaktEngine

/// `use: touch` and `use: signal`.
@Suite struct FileBuiltinTests {
  private let folder = TemporaryFolder()
  private let bench: BuiltinBench

  init() throws { bench = try BuiltinBench() }

  @Test func `touch makes a file, and makes an old one new`() async throws {
    let path = ParameterValue.string(folder["beat"])
    #expect(await bench.run("touch", ["path": path]) == .done)
    let past = timespec(tv_sec: 1000, tv_nsec: 0)
    utimensat(AT_FDCWD, folder["beat"], [past, past], 0)
    folder.write("kept", to: "text")
    #expect(await bench.run("touch", ["path": path]) == .done)
    var status = stat()
    stat(folder["beat"], &status)
    #expect(status.st_mtim.tv_sec > 1_000_000)
    #expect(await bench.run("touch", ["path": .string(folder["text"])]) == .done)
    #expect(folder.read("text") == "kept")
  }

  @Test func `touch says what is missing`() async {
    let none: Parameters = ["path": .string(folder["none"]), "create": .boolean(false)]
    #expect(await bench.run("touch", none) == .failed("missing"))
    #expect(
      await bench.run("touch", ["path": .string(folder["no/such"])]) == .failed("missing"))
    #expect(await bench.run("touch", ["path": "/proc/none"]) == .failed("missing"))
  }

  private func end(of pid: pid_t) -> Int32 {
    var status = Int32(0)
    waitpid(pid, &status, 0)
    return status & 0x7f
  }

  @Test(arguments: [nil, "sleep", "/usr/bin/sleep"])
  func `signal reaches the process of the file`(program: String?) async throws {
    let pid = try Spawning.start(["/usr/bin/sleep", "1000"])
    folder.write("  \(pid)\n", to: "pid")
    var parameters: Parameters = ["pid_file": .string(folder["pid"]), "signal": "TERM"]
    parameters["program"] = program.map { .string($0) }
    // Until the child has executed its program.
    while !SignalBuiltin.isProgram("sleep", of: pid) { sched_yield() }
    #expect(await bench.run("signal", parameters) == .done)
    #expect(end(of: pid) == SIGTERM)
  }

  @Test func `another program under the number is not signalled`() async throws {
    let pid = try Spawning.start(["/usr/bin/sleep", "1000"])
    while !SignalBuiltin.isProgram("sleep", of: pid) { sched_yield() }
    folder.write("\(pid)", to: "pid")
    let parameters: Parameters = [
      "pid_file": .string(folder["pid"]), "signal": "TERM", "program": "nginx",
    ]
    #expect(await bench.run("signal", parameters) == .failed("stale"))
    #expect(kill(pid, 0) == 0)
    kill(pid, SIGKILL)
    #expect(end(of: pid) == SIGKILL)
    #expect(await bench.run("signal", parameters) == .failed("stale"))
  }

  @Test(arguments: ["", "abc", "-1", "0", "99999999999", "1 2x"])
  func `a file that names no process is said to be bad`(text: String) async throws {
    folder.write(text, to: "pid")
    #expect(
      await bench.run("signal", ["pid_file": .string(folder["pid"])])
        == .failed("bad_pid_file"))
  }

  @Test func `a pid file that is missing, a pipe or endless harms nobody`() async throws {
    #expect(
      await bench.run("signal", ["pid_file": .string(folder["no"])])
        == .failed("no_pid_file"))
    mkfifo(folder["pipe"], 0o600)
    #expect(
      await bench.run("signal", ["pid_file": .string(folder["pipe"])])
        == .failed("no_pid_file"))
    for path in ["/dev/zero", "/dev/null", "/tmp"] {
      #expect(await bench.run("signal", ["pid_file": .string(path)]) == .failed("no_pid_file"))
    }
  }

  // MARK: As root

  private static let stranger: uid_t = 47_321

  /// A folder of another user, with a link of that user.
  private func makeHome(linkTo target: String) throws -> String {
    let home = folder["home"]
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
    #expect(symlink(target, "\(home)/link") == 0)
    #expect(chown(home, Self.stranger, 0) == 0 && lchown("\(home)/link", Self.stranger, 0) == 0)
    return home
  }

  @Test(.enabled(if: geteuid() == 0, "a link of another user takes root"))
  func `touch makes nothing where a link of another user leads`() async throws {
    let home = try makeHome(linkTo: "../made")
    #expect(await bench.run("touch", ["path": .string("\(home)/link")]) == .failed("link"))
    #expect(access(folder["made"], F_OK) != 0)
    // A link of root is followed, even to a file that does not exist yet.
    #expect(symlink("made", folder["own"]) == 0)
    #expect(await bench.run("touch", ["path": .string(folder["own"])]) == .done)
    #expect(access(folder["made"], F_OK) == 0)
  }

  @Test(.enabled(if: geteuid() == 0, "a pid file of another user takes root"))
  func `a pid file of another user reaches no process that this user could not signal`()
    async throws
  {
    let home = try makeHome(linkTo: "../pid")
    let own = try Spawning.start(["/usr/bin/sleep", "1000"])
    let other = try Spawning.start([
      "/usr/bin/setpriv", "--reuid=\(Self.stranger)", "--clear-groups", "/usr/bin/sleep", "1000",
    ])
    for pid in [own, other] { while !SignalBuiltin.isProgram("sleep", of: pid) { sched_yield() } }
    func signal(
      _ pid: pid_t, owner: uid_t, mode: mode_t, path: String
    ) async throws -> AttemptResult {
      folder.write("\(pid)\n", to: "pid")
      #expect(chown(folder["pid"], owner, 0) == 0 && chmod(folder["pid"], mode) == 0)
      return await bench.run("signal", ["pid_file": .string(path), "signal": "TERM"])
    }
    let path = folder["pid"]
    #expect(
      try await signal(own, owner: Self.stranger, mode: 0o644, path: path) == .failed("permission"))
    #expect(try await signal(own, owner: 0, mode: 0o666, path: path) == .failed("permission"))
    #expect(try await signal(own, owner: 0, mode: 0o644, path: "\(home)/link") == .failed("link"))
    #expect(kill(own, 0) == 0)
    #expect(try await signal(other, owner: Self.stranger, mode: 0o644, path: path) == .done)
    #expect(end(of: other) == SIGTERM)
    #expect(try await signal(own, owner: 0, mode: 0o644, path: path) == .done)
    #expect(end(of: own) == SIGTERM)
  }
}
