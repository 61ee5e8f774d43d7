import Foundation
import Glibc
import TaktCore
import TaktSystem
import TaktTesting
import Testing

@testable import TaktEngine

/// Processes that a daemon ends at its start after a kill -9: leftovers of recorded attempts, and
/// no strangers. All processes here are real.
@Suite(.serialized) struct LeftoverProcessesTests {
  @Test func `the process of an attempt and its session are ended`() throws {
    let mark = Self.newMark()
    let leader = try Bystander("sleep 1000 & echo $!; wait", mark: mark)
    let child = try #require(pid_t(try leader.line()))
    let outcome = LeftoverProcesses(attempts: [try leader.identity(mark)]).end()
    #expect(Set(outcome.ended.map(\.pid)) == [leader.pid, child])
    #expect(outcome.lasting == [])
    #expect(outcome.unproven == [])
    #expect(!leader.isAlive && !Bystander.isAlive(child))
  }

  @Test(arguments: [
    "trap '' TERM; echo set; while :; do sleep 0.1; done", "echo up; kill -STOP $$; sleep 1000",
  ])
  func `one that ignores TERM, or is stopped, is ended`(script: String) throws {
    let mark = Self.newMark()
    let leader = try Bystander(script, mark: mark)
    _ = try leader.line()
    let outcome = LeftoverProcesses(attempts: [try leader.identity(mark)]).end()
    #expect(outcome.ended.map(\.pid).contains(leader.pid))
    #expect(!leader.isAlive)
  }

  @Test func `what a leftover starts to clean up is left alone`() throws {
    let mark = Self.newMark()
    let leader = try Bystander(
      """
      clean() {
        for i in 1 2 3; do sh -c 'trap "echo hit" TERM; sleep 0.1 || echo hit'; done
        echo cleaned; exit
      }
      trap clean TERM; echo up; while :; do sleep 0.1; done
      """, mark: mark)
    _ = try leader.line()
    let outcome = LeftoverProcesses(attempts: [try leader.identity(mark)]).end()
    #expect(outcome.ended.map(\.pid).contains(leader.pid))
    #expect(try leader.line() == "cleaned")
  }

  /// Like processes that `at`, `sbatch` or a process manager starts from within a job.
  @Test func `a process with a copied environment in another session is left alone`() throws {
    let mark = Self.newMark()
    let leader = try Bystander("echo up; sleep 1000", mark: mark)
    let unrelated = try Bystander("echo up; sleep 1000", mark: mark)
    _ = (try leader.line(), try unrelated.line())
    let outcome = LeftoverProcesses(attempts: [try leader.identity(mark)]).end()
    #expect(outcome.ended.map(\.pid).contains(leader.pid))
    #expect(outcome.unproven.map(\.pid).contains(unrelated.pid))
    #expect(unrelated.isAlive)
  }

  @Test func `the mark of another attempt, or of the daemon, is worth nothing`() throws {
    let mark = Self.newMark()
    let other = try Bystander("echo up; sleep 1000", mark: Self.newMark())
    _ = try other.line()
    let outcome = LeftoverProcesses(attempts: [try other.identity(mark)]).end()
    #expect(outcome == LeftoverProcesses.Outcome())
    #expect(other.isAlive)
  }

  @Test(arguments: [-3, 3])
  func `a process that started before or after its attempt is left alone`(seconds: Int) throws {
    let mark = Self.newMark()
    let process = try Bystander("echo up; sleep 1000 & echo $!; wait", mark: mark)
    _ = try process.line()
    let child = try #require(pid_t(try process.line()))
    var identity = try process.identity(mark)
    let ticks = UInt64(abs(seconds * 100))
    identity.sinceTicks = seconds < 0 ? identity.sinceTicks - ticks : identity.sinceTicks + ticks
    identity.untilTicks = identity.sinceTicks + 1
    let outcome = LeftoverProcesses(attempts: [identity]).end()
    #expect(outcome.ended == [])
    #expect(Set(outcome.unproven.map(\.pid)).isSuperset(of: [process.pid, child]))
    #expect(process.isAlive && Bystander.isAlive(child))
  }

  @Test func `an attempt of an earlier version proves nothing`() throws {
    let process = try Bystander("echo up; sleep 1000", mark: Self.newMark())
    _ = try process.line()
    let outcome = LeftoverProcesses(attempts: [try process.identity("")]).end()
    #expect(outcome.ended == [])
    #expect(outcome.unproven.map(\.pid) == [process.pid])
    #expect(process.isAlive)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
  func `a process of another user with a copied environment is left alone`() throws {
    let mark = Self.newMark()
    let leader = try Bystander("echo up; sleep 1000", mark: mark)
    let unrelated = try Bystander(
      "exec setpriv --reuid 65534 --regid 65534 --clear-groups "
        + "/bin/sh -c 'echo up; exec sleep 1000'", mark: mark)
    _ = (try leader.line(), try unrelated.line())
    let outcome = LeftoverProcesses(attempts: [try leader.identity(mark)]).end()
    #expect(outcome.ended.map(\.pid).contains(leader.pid))
    #expect(unrelated.isAlive)
  }

  @Test(.enabled(if: TestGroup.isPossible, "it takes root and a writable cgroup v2 hierarchy"))
  func `what is in the attempt's control group is ended, whatever it has done to get away`()
    throws
  {
    let group = try #require(TestGroup())
    defer { group.remove() }
    let leader = try Bystander("echo up; sleep 1000", mark: "")
    let inside = try Bystander("echo up; exec env -i /bin/sleep 1000", mark: "")
    let outside = try Bystander("echo up; sleep 1000", mark: "")
    _ = (try leader.line(), try inside.line(), try outside.line())
    group.add(inside.pid)
    var identity = try leader.identity(Self.newMark())
    identity.controlGroup = group.path
    let outcome = LeftoverProcesses(attempts: [identity]).end()
    #expect(outcome.ended.map(\.pid) == [inside.pid])
    #expect(!inside.isAlive)
    #expect(leader.isAlive && outside.isAlive)
  }

  @Test(arguments: ["", "/", "//", "/..", "/a/../b", "relative", "/a/"])
  func `a path that is no group of an attempt proves nothing`(path: String) {
    #expect(!ControlGroupOfOthers.isRight(path))
  }

  @Test func `the daemon's own control group, and those above it, prove nothing`() throws {
    let own = try #require(ControlGroup.group(of: getpid()))
    #expect(!ControlGroupOfOthers.isRight(own))
    #expect(ControlGroupOfOthers.isRight((own == "/" ? "" : own) + "/below"))
  }

  @Test func `a daemon is known again by the start of its process`() throws {
    let process = try Bystander("echo up; sleep 1000", mark: "")
    _ = try process.line()
    let ticks = try process.identity("").sinceTicks
    #expect(DaemonProcess.isAlive(process.pid, startTicks: ticks))
    #expect(!DaemonProcess.isAlive(process.pid, startTicks: ticks + 1))
    process.end()
    #expect(!DaemonProcess.isAlive(process.pid, startTicks: ticks))
    #expect(DaemonProcess.startTicks != nil && DaemonProcess.pidSpace != nil)
  }

  private static func newMark() -> String {
    (0..<4).map { _ in String(UInt32.random(in: 0x1000_0000 ... .max), radix: 16) }.joined()
  }
}

/// A real process in a session of its own, which lasts no longer than the test.
final class Bystander {
  let pid: pid_t
  private let output: Int32
  private var isReaped = false

  struct NotStarted: Error { var number: Int32 }

  init(_ script: String, mark: String) throws {
    guard let ends = SafePipe.make() else { throw NotStarted(number: errno) }
    defer { close(ends.write) }
    output = ends.read
    pid = try Spawning.start(
      ["/bin/sh", "-c", script],
      environment: [
        "TAKT_ATTEMPT_ID=\(mark)", "TAKT_INSTANCE=\(DaemonProcess.instance)", "PATH=/usr/bin:/bin",
      ], output: ends.write, startsSession: true)
  }

  deinit {
    close(output)
    end()
  }

  /// Ends it with its whole session.
  func end() {
    guard !isReaped else { return }
    isReaped = true
    kill(-pid, SIGKILL)
    kill(pid, SIGKILL)
    waitpid(pid, nil, 0)
  }

  /// The next output, up to the end of a line.
  func line() throws -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while read(output, &byte, 1) == 1, byte != 10 { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// As the ledger records it.
  func identity(_ mark: String) throws -> ProcessIdentity {
    let ticks = try #require(ProcessStatus.read(pid)).startTicks
    return ProcessIdentity(pid: pid, sinceTicks: ticks, untilTicks: ticks, mark: mark)
  }

  var isAlive: Bool { Self.isAlive(pid) }

  /// A process that is not reaped has ended, too.
  static func isAlive(_ pid: pid_t) -> Bool {
    ProcessStatus.read(pid).map { !$0.isZombie } ?? false
  }
}

/// A control group for a test.
private final class TestGroup {
  let path: String
  private let folder: String

  private static let root = ControlGroupMount.folder(of: "/")

  static let isPossible =
    geteuid() == 0 && root.map { access($0 + "/cgroup.procs", W_OK) == 0 } ?? false

  init?() {
    let name = "takt-test-\(UUID().uuidString)"
    path = "/" + name
    folder = (Self.root ?? "/nowhere") + "/" + name
    guard mkdir(folder, 0o755) == 0 else { return nil }
  }

  func remove() {
    // Busy until the kernel has released the last process.
    for _ in 0..<1000 where rmdir(folder) != 0 { usleep(5000) }
  }

  func add(_ pid: pid_t) {
    let file = open(folder + "/cgroup.procs", O_WRONLY)
    let text = Array("\(pid)".utf8)
    _ = write(file, text, text.count)
    close(file)
  }
}
