import Foundation
import Glibc
import Synchronization
import TaktCore
import TaktSystem
import Testing

@testable import TaktEngine

/// The processes that the guard ends when takt is killed or stopped, and those that it leaves
/// alone. All processes are real; the tests wait only for their ends.
@Suite struct GuardTests {
  /// A command whose processes have all left its group in some way, except its own and one more.
  private static let tree = """
    echo $$; sleep 1000 & echo $!; setsid sleep 1000 & echo $!; (setsid sleep 1000 & echo $!); \
    setsid env -i sleep 1000 & echo $!; wait
    """
  private static let treeCount = 5

  @Test(arguments: [true, false])
  func `when takt is killed, all processes of its claimed runs end`(usesGroups: Bool) throws {
    let host = try GuardedHost(usesGroups: usesGroups)
    let free = try host.witness("free 2 echo $$; exec sleep 1000")
    try host.tell("run 1 \(Self.tree)")
    let tree = try (0..<Self.treeCount).map { _ in try Witness(host.number()) }
    #expect(tree.allSatisfy { !$0.hasEnded })
    host.kill(SIGKILL)
    for process in tree { #expect(process.ends()) }
    #expect(host.guardian.ends())
    // Without a claim a run survives takt, until the next daemon finds it.
    #expect(!free.hasEnded)
    free.kill()
  }

  @Test(arguments: [true, false])
  func `when takt is stopped, its claimed runs end at the deadline`(usesGroups: Bool) throws {
    let host = try GuardedHost(usesGroups: usesGroups)
    let free = try host.witness("free 2 echo $$; exec sleep 1000")
    try host.tell("run 1 \(Self.tree)")
    let tree = try (0..<Self.treeCount).map { _ in try Witness(host.number()) }
    let deadline = BootClock.now + 300_000_000
    try host.tell("deadline \(deadline)")
    _ = try host.guardNumber()
    host.kill(SIGSTOP)
    for process in tree {
      #expect(process.ends())
      #expect(BootClock.now >= deadline)
    }
    #expect(!free.hasEnded && !host.guardian.hasEnded)
    // takt wakes, finds its run ended, and uses the same guard for its next ones.
    host.kill(SIGCONT)
    _ = try host.line { $0.hasPrefix("ended 1 signalled(9)") }
    try host.tell("deadline \(BootClock.now + 3_600_000_000_000)")
    let next = try host.witness("run 3 echo $$; exec sleep 1000")
    #expect(try host.guardNumber() == host.guardian.pid)
    #expect(!next.hasEnded)
    try host.tell("deadline 1")
    _ = try host.line { $0.hasPrefix("ended 3 signalled(9)") }
    free.kill()
  }

  @Test(arguments: [true, false])
  func `a run that may outlive the lease ends with takt`(usesGroups: Bool) throws {
    let host = try GuardedHost(usesGroups: usesGroups)
    let finishing = try host.witness("finish 1 echo $$; exec sleep 1000")
    try host.tell("run 2 exec sleep 1000")
    try host.tell("deadline 1")
    _ = try host.line { $0.hasPrefix("ended 2 signalled(9)") }
    #expect(!finishing.hasEnded)
    host.kill(SIGKILL)
    #expect(finishing.ends())
    #expect(host.guardian.ends())
  }

  @Test func `a run that starts after the deadline has passed is ended`() throws {
    let host = try GuardedHost()
    try host.tell("deadline 1")
    try host.tell("run 1 sleep 1000")
    _ = try host.line { $0.hasPrefix("ended 1 signalled(9)") }
  }

  @Test func `a deadline that is extended in time ends nothing`() throws {
    let host = try GuardedHost()
    let process = try host.witness("run 1 echo $$; exec sleep 1000")
    let first = BootClock.now + 50_000_000
    try host.tell("deadline \(first)")
    try host.tell("deadline \(first + 3_600_000_000_000)")
    BootClock.wait(until: first + 10_000_000)
    try host.quit()
    #expect(host.guardian.ends())
    #expect(!process.hasEnded)
    process.kill()
  }

  @Test func `no deadline ends nothing, and what has ended is forgotten`() throws {
    let host = try GuardedHost()
    let process = try host.witness("run 1 echo $$; exec sleep 1000")
    try host.tell("deadline \(BootClock.now + 3_600_000_000_000)")
    try host.tell("deadline 0")
    try host.tell("run 2 exit 3")
    _ = try host.line { $0.hasPrefix("ended 2 exited(3)") }
    try host.quit()
    #expect(host.guardian.ends())
    #expect(!process.hasEnded)
    process.kill()
  }

  /// The host keeps starting runs until it is killed at an arbitrary moment.
  @Test(arguments: [true, false])
  func `no run that takt was just starting survives it`(usesGroups: Bool) throws {
    let word = "\(UInt32.random(in: 0x1000_0000 ... .max))"
    for turn in 0..<10 {
      let host = try GuardedHost(usesGroups: usesGroups)
      for number in 1...60 { try host.tell("run \(number) echo up; sleep 1000.\(word) & wait") }
      for _ in 0..<(6 * turn) { _ = try host.line { $0 == "out up" } }
      host.kill(SIGKILL)
      // It ends when no process is left.
      #expect(host.guardian.ends())
      #expect(Self.processes(with: word) == [])
    }
  }

  private static func processes(with word: String) -> [pid_t] {
    ProcessFile.numbers(inFolder: "/proc").filter { pid in
      let words = SmallFile.head("/proc/\(pid)/cmdline", bytesMax: 4096) ?? []
      return ProcessStatus.read(pid)?.isZombie == false
        && String(decoding: words, as: UTF8.self).contains("1000.\(word)")
    }
  }

  @Test func `a child is guarded before takt has told of it`() throws {
    let guardian = try Guard.start(on: try Reactor())
    defer { guardian.stop() }
    var request = try Children.request(.shell("exec sleep 1000"))
    request.fence = ClaimToken(1)
    let mark = AttemptMark.make()
    let announcement = guardian.announcement(
      of: ProcessID.make(), mark: mark, sinceTicks: ProcessStatus.ticksNow(), in: nil)
    let child = try Spawn.start(
      try PreparedCommand(Command(of: request), SystemAccounts()), mark: mark,
      announcement: announcement)
    defer { Children.end(child, by: SIGKILL) }
    let process = Witness(child.pid)
    guardian.setDeadline(1)
    #expect(process.ends())
  }

  @Test func `a child whose guard has just been killed runs all the same`() throws {
    let guardian = try Guard.start(on: try Reactor())
    defer { guardian.stop() }
    var request = try Children.request(.shell("exit 7"))
    request.fence = ClaimToken(1)
    let mark = AttemptMark.make()
    let announcement = guardian.announcement(
      of: ProcessID.make(), mark: mark, sinceTicks: ProcessStatus.ticksNow(), in: nil)
    let guardProcess = Witness(try #require(guardian.pid))
    guardProcess.kill()
    #expect(guardProcess.ends())
    let child = try Spawn.start(
      try PreparedCommand(Command(of: request), SystemAccounts()), mark: mark,
      announcement: announcement)
    var status = Int32(0)
    waitpid(child.pid, &status, 0)
    // Neither a signal nor a failed start.
    #expect(status == 7 << 8)
    for descriptor in [child.pidfd, child.stdout, child.stderr ?? -1] { close(descriptor) }
  }

  /// Like the process of a service plugin, which lives on.
  @Test func `a process that works for claimed runs at times is guarded at those times`() throws {
    let guardian = try Guard.start(on: try Reactor())
    defer { guardian.stop() }
    let processes = try ProcessRunner(reactor: try Reactor(), sink: NoSink(), guardian: guardian)
    let ended = DispatchSemaphore(value: 0)
    let results = Mutex<[ProcessID: AttemptResult]>([:])
    let commands = (0..<2).map { _ in
      var command = Command(
        ["sleep", "1000"], Execution(), origin: Command.Origin(owner: "somebody"), labels: [])
      command.observe = { [id = command.id] event in
        guard case .ended(let end) = event else { return }
        results.withLock { $0[id] = end.result }
        ended.signal()
      }
      return command
    }
    processes.start(commands)
    let (working, idle) = (commands[0].id, commands[1].id)
    // A call to the reactor would come before children that are still being started.
    while processes.starting.isEmpty == false { usleep(1000) }
    processes.reactor.perform { _ in
      processes.setGuarded(working, true)
      processes.setGuarded(idle, true)
      processes.setGuarded(idle, false)
      guardian.setDeadline(1)
    }
    ended.wait()
    #expect(results.withLock(\.self) == [working: .signalled(SIGKILL)])
    processes.stop(idle, signal: .terminate)
    ended.wait()
    #expect(results.withLock { $0[idle] } == .signalled(SIGTERM))
  }

  private struct NoSink: OutputSink {
    var hasRoom: Bool { true }
    func output(_ fields: [LogField]) {}
    func drop(lines: Int) {}
  }

  // MARK: Strangers

  enum Stranger: CaseIterable {
    /// Has the number of a guarded process, but started later or earlier.
    case laterNumber, earlierNumber
    /// Has the mark of a guarded attempt, but was started by another process.
    case copiedMark
  }

  @Test(arguments: Stranger.allCases)
  func `a stranger is left alone`(stranger: Stranger) throws {
    let host = try GuardedHost(usesGroups: false)
    let mark = AttemptMark.make()
    let process = try Bystander("echo up; sleep 1000 & wait", mark: mark)
    _ = try process.line()
    let ticks = try process.identity(mark).sinceTicks
    switch stranger {
    case .laterNumber: try host.tell("add \(process.pid) \(ticks - 9) \(ticks - 5)")
    case .earlierNumber: try host.tell("add \(process.pid) \(ticks + 5) \(ticks + 9) \(mark)")
    case .copiedMark: try host.tell("add 0 \(ticks - 9) \(ticks + 9) \(mark)")
    }
    try host.tell("run 1 sleep 1000")
    try host.tell("deadline 1")
    _ = try host.line { $0.hasPrefix("ended 1 signalled(9)") }
    try host.quit()
    #expect(host.guardian.ends())
    #expect(process.isAlive)
  }

  @Test func `the guarded process of a stranger's number is ended when it is the right one`() throws
  {
    let host = try GuardedHost(usesGroups: false)
    let process = try Bystander("echo up; sleep 1000 & echo $!; wait", mark: AttemptMark.make())
    _ = try process.line()
    let child = try Witness(#require(pid_t(try process.line())))
    let ticks = try process.identity("").sinceTicks
    try host.tell("add \(process.pid) \(ticks) \(ticks)")
    try host.tell("deadline 1")
    #expect(child.ends() && Witness(process.pid).ends())
  }

  // MARK: The guard itself

  @Test(arguments: [true, false])
  func `a guard that is killed, or does not keep up, is replaced`(isKilled: Bool) throws {
    let host = try GuardedHost()
    let process = try host.witness("run 1 echo $$; exec sleep 1000")
    let first = host.guardian
    if isKilled {
      first.kill()
    } else {
      first.kill(SIGSTOP)
      for _ in 0..<5000 { try host.tell("deadline 0") }
    }
    #expect(first.ends())
    var second = try host.guardNumber()
    while second == 0 || second == first.pid { second = try host.guardNumber() }
    #expect(!process.hasEnded)
    let witness = Witness(second)
    host.kill(SIGKILL)
    #expect(process.ends() && witness.ends())
  }

  @Test func `the guard holds none of takt's files, and has a name of its own`() throws {
    let host = try GuardedHost()
    // Once it has done something, it has completed its start.
    try host.tell("deadline 1")
    try host.tell("run 1 sleep 1000")
    _ = try host.line { $0.hasPrefix("ended 1 signalled(9)") }
    let status = try #require(ProcessStatus.read(host.guardian.pid))
    #expect(status.name == "takt-guard" && status.session == status.pid)
    let files = ProcessFile.numbers(inFolder: "/proc/\(status.pid)/fd")
      .compactMap { SmallFile.link("/proc/\(status.pid)/fd/\($0)") }
    #expect(files.filter { $0.hasPrefix("pipe:") }.count == 1, "\(files)")
    // It may just be searching the process table.
    let right = [
      "pipe:", "anon_inode:[timerfd]", "anon_inode:[pidfd]", "/dev/null", "/sys/fs/cgroup", "/proc",
    ]
    let own = files.filter { file in !right.contains { file.hasPrefix($0) } }
    #expect(own == [])
    let words = SmallFile.head("/proc/\(status.pid)/cmdline", bytesMax: 4096) ?? []
    #expect(String(decoding: words.prefix { $0 != 0 }, as: UTF8.self) == "takt-guard")
  }

  @Test func `the guard is neither taken for a run's process nor for a stranger's`() throws {
    let host = try GuardedHost(usesGroups: false)
    let left = try host.witness("run 1 (setsid sleep 1000 & echo $!); exit 2")
    _ = try host.line { $0.hasPrefix("ended 1 exited(2) 1") }
    #expect(!host.guardian.hasEnded)
    host.kill(SIGKILL)
    #expect(left.ends() && host.guardian.ends())
  }
}
