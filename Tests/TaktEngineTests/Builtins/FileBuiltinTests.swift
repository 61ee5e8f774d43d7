import Foundation
import Glibc
import TaktCore
import Testing

@testable import TaktEngine

/// `use: touch` and `use: signal`.
@Suite struct FileBuiltinTests {
  private let folder: ServerFolder
  private let bench: BuiltinBench

  init() throws {
    folder = try ServerFolder()
    bench = try BuiltinBench()
  }

  @Test func `touch makes a file, and makes an old one new`() async throws {
    let path = ParameterValue.string(folder.path("beat"))
    #expect(await bench.run("touch", ["path": path]) == .done)
    let past = timespec(tv_sec: 1000, tv_nsec: 0)
    utimensat(AT_FDCWD, folder.path("beat"), [past, past], 0)
    try folder.write("kept", to: "text")
    #expect(await bench.run("touch", ["path": path]) == .done)
    var status = stat()
    stat(folder.path("beat"), &status)
    #expect(status.st_mtim.tv_sec > 1_000_000)
    #expect(await bench.run("touch", ["path": .string(folder.path("text"))]) == .done)
    #expect(folder.read("text") == "kept")
  }

  @Test func `touch says what is missing`() async {
    let none: Parameters = ["path": .string(folder.path("none")), "create": .boolean(false)]
    #expect(await bench.run("touch", none) == .failed("missing"))
    #expect(
      await bench.run("touch", ["path": .string(folder.path("no/such"))]) == .failed("missing"))
    #expect(await bench.run("touch", ["path": "/proc/none"]) == .failed("missing"))
  }

  private func child(_ words: [String]) throws -> pid_t {
    var argv = words.map { strdup($0) } + [nil]
    defer { argv.forEach { free($0) } }
    var pid = pid_t()
    // The threads of a queue block nearly all signals, and a child would begin like that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let result = posix_spawnp(&pid, words[0], nil, &attributes, &argv, environ)
    #expect(result == 0)
    return pid
  }

  private func end(of pid: pid_t) -> Int32 {
    var status = Int32(0)
    waitpid(pid, &status, 0)
    return status & 0x7f
  }

  @Test(arguments: [nil, "sleep", "/usr/bin/sleep"])
  func `signal reaches the process of the file`(program: String?) async throws {
    let pid = try child(["/usr/bin/sleep", "1000"])
    try folder.write("  \(pid)\n", to: "pid")
    var parameters: Parameters = ["pid_file": .string(folder.path("pid")), "signal": "TERM"]
    parameters["program"] = program.map { .string($0) }
    // Until the child has become its program.
    while !SignalBuiltin.isProgram("sleep", of: pid) { sched_yield() }
    #expect(await bench.run("signal", parameters) == .done)
    #expect(end(of: pid) == SIGTERM)
  }

  @Test func `another program under the number is not signalled`() async throws {
    let pid = try child(["/usr/bin/sleep", "1000"])
    while !SignalBuiltin.isProgram("sleep", of: pid) { sched_yield() }
    try folder.write("\(pid)", to: "pid")
    let parameters: Parameters = [
      "pid_file": .string(folder.path("pid")), "signal": "TERM", "program": "nginx",
    ]
    #expect(await bench.run("signal", parameters) == .failed("stale"))
    #expect(kill(pid, 0) == 0)
    kill(pid, SIGKILL)
    #expect(end(of: pid) == SIGKILL)
    #expect(await bench.run("signal", parameters) == .failed("stale"))
  }

  @Test(arguments: ["", "abc", "-1", "0", "99999999999", "1 2x"])
  func `a file that names no process is said to be bad`(text: String) async throws {
    try folder.write(text, to: "pid")
    #expect(
      await bench.run("signal", ["pid_file": .string(folder.path("pid"))])
        == .failed("bad_pid_file"))
  }

  @Test func `a pid file that is missing, a pipe or endless harms nobody`() async throws {
    #expect(
      await bench.run("signal", ["pid_file": .string(folder.path("no"))])
        == .failed("no_pid_file"))
    mkfifo(folder.path("pipe"), 0o600)
    #expect(
      await bench.run("signal", ["pid_file": .string(folder.path("pipe"))])
        == .failed("no_pid_file"))
    for path in ["/dev/zero", "/dev/null", "/tmp"] {
      #expect(await bench.run("signal", ["pid_file": .string(path)]) == .failed("no_pid_file"))
    }
  }
}
