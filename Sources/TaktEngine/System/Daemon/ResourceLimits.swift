import Dispatch
import Glibc
package import TaktSystem

/// What the system must grant before takt starts: the system library under the timers traps, or
/// waits for ever, where it is denied a descriptor or a thread.
package enum ResourceLimits {
  /// takt itself, without runs.
  static let descriptorsMin = 32
  /// One run: a pidfd, two of a control group, two pipes, and two ends for a moment. One with the
  /// memory controller has one more, which is not asked for where most have none.
  static let descriptorsPerRun = 7
  /// takt's own threads and the queues' workers.
  static let threadsMin = 10
  /// The driver of a cluster's engine, its transfers and their look-ups of names, the queue of its
  /// answers, and the requests to other machines.
  static let threadsForCluster = 6

  /// What takt needs of its address space besides those threads, so that nothing that it calls is denied
  /// memory: a thread that the system library lacks is waited for, memory that Swift lacks ends the program.
  static let addressBytesMin = 128 << 20

  /// Throws where takt cannot work; returns a warning where it can, but not as the file says.
  ///
  /// - Parameter hasCluster: whether takt is to be one of several machines.
  package static func check(
    maxRunning: Int, hasCluster: Bool = false
  ) throws(SystemError) -> String? {
    let (limit, left) = try descriptors()
    let inherited = limit - left
    let taken = inherited > 0 ? ", of which \(inherited) were open before it started" : ""
    guard left >= descriptorsMin else {
      throw SystemError(
        "ulimit -n is \(limit)\(taken), but takt needs at least \(descriptorsMin)", number: EMFILE)
    }
    try tryThreads(threadsMin + (hasCluster ? threadsForCluster : 0))
    let carried = runs(left)
    guard carried < maxRunning else { return nil }
    return """
      ulimit -n is \(limit)\(taken), enough for \(carried) runs at once, but max_running is \
      \(maxRunning): further runs wait; raise the limit or lower max_running
      """
  }

  /// How many runs at once there are descriptors for; at least one.
  package static func runs() -> Int { (try? descriptors()).map { runs($0.left) } ?? .max }

  private static func runs(_ left: Int) -> Int {
    max(1, (left - descriptorsMin) / descriptorsPerRun)
  }

  /// The limit, and what is left of it for takt after those that its parent has left open.
  private static func descriptors() throws(SystemError) -> (limit: Int, left: Int) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      throw SystemError("getrlimit")
    }
    let count = Int(clamping: limit.rlim_cur)
    return (count, count - StandardDescriptors.inherited)
  }

  /// How many descriptors are left for others when takt and so many runs at once have theirs; may be
  /// below zero.
  package static func spareDescriptors(maxRunning: Int) -> Int {
    guard let left = try? descriptors().left else { return 0 }
    let (forRuns, isOver) = maxRunning.multipliedReportingOverflow(by: descriptorsPerRun)
    return isOver ? 0 : left - descriptorsMin - forRuns
  }

  /// How many conditions are asked for at once, of so many that a file could have: half of what is
  /// left for others, so that conditions that hang leave each run its descriptors.
  package static func conditions(atMost bound: Int, maxRunning: Int) -> Int {
    min(bound, max(1, spareDescriptors(maxRunning: maxRunning) / 2 / descriptorsPerRun))
  }

  /// Starts as many threads as takt will have, all at once, and lets them end.
  private static func tryThreads(_ count: Int) throws(SystemError) {
    let gate = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    var started = 0
    defer {
      for _ in 0..<started { gate.signal() }
      for _ in 0..<started { ended.wait() }
    }
    for _ in 0..<count {
      do throws(SystemError) {
        try Thread.start(name: "takt-try") {
          gate.wait()
          ended.signal()
        }
      } catch {
        throw SystemError("takt needs \(count) threads (\(threadLimits))", number: error.number)
      }
      started += 1
    }
    try tryAddresses(besides: count)
  }

  /// Asks for room for what takt will have in memory besides its threads, and gives it back.
  private static func tryAddresses(besides threads: Int) throws(SystemError) {
    guard addressKiB != nil else { return }
    let room = mmap(
      nil, addressBytesMin, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    guard let room, room != MAP_FAILED else {
      throw SystemError(
        "takt needs \(addressBytesMin >> 20) MiB of address space besides \(threads) threads "
          + "(\(threadLimits))")
    }
    munmap(room, addressBytesMin)
  }

  private static var threadLimits: String {
    addressKiB.map { "ulimit -u, ulimit -v, which is \($0)" } ?? "ulimit -u"
  }

  /// The limit of the address space; nil for none.
  private static var addressKiB: UInt64? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0,
      limit.rlim_cur != rlim_t.max
    else { return nil }
    return UInt64(limit.rlim_cur) / 1024
  }
}
