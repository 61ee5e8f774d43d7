import Dispatch
import Glibc
package import TaktSystem

/// The resources that takt needs before it starts: the system library for the timers traps, or
/// waits permanently, if it is denied a descriptor or a thread.
package enum ResourceLimits {
  /// For takt itself, without runs.
  static let descriptorsMin = 32
  /// For one run: a pidfd, two of a control group, two pipes, and two ends for an instant. A run
  /// with the memory controller has one more, which is not counted because most have none.
  static let descriptorsPerRun = 7
  /// takt's own threads and the queues' workers.
  static let threadsMin = 10
  /// The driver of a cluster's engine, its transfers and their name look-ups, the queue of its
  /// answers, and the requests to other machines.
  static let threadsForCluster = 6

  /// Address space besides those threads, so that no call is denied memory: takt would wait for a
  /// thread that the system library cannot get, and end when Swift gets no memory.
  static let addressBytesMin = 128 << 20

  /// Throws if takt cannot work; returns a warning if it can, but not as the file says.
  ///
  /// - Parameter hasCluster: true if takt is one of several machines.
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

  /// The number of runs at once that descriptors suffice for; at least one.
  package static func runs() -> Int { (try? descriptors()).map { runs($0.left) } ?? .max }

  private static func runs(_ left: Int) -> Int {
    max(1, (left - descriptorsMin) / descriptorsPerRun)
  }

  /// The limit, and the part of it left for takt after those that its parent has left open.
  private static func descriptors() throws(SystemError) -> (limit: Int, left: Int) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      throw SystemError("getrlimit")
    }
    let count = Int(clamping: limit.rlim_cur)
    return (count, count - StandardDescriptors.inherited)
  }

  /// The number of descriptors left when takt and so many runs at once have theirs; may be below
  /// zero.
  package static func spareDescriptors(maxRunning: Int) -> Int {
    guard let left = try? descriptors().left else { return 0 }
    let (forRuns, isOver) = maxRunning.multipliedReportingOverflow(by: descriptorsPerRun)
    return isOver ? 0 : left - descriptorsMin - forRuns
  }

  /// The number of conditions checked at once, at most `bound`: half of the spare descriptors, so
  /// that conditions that hang leave each run its descriptors.
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

  /// Reserves the address space that takt needs besides its threads, and frees it.
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

  private static var addressKiB: UInt64? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0,
      limit.rlim_cur != rlim_t.max
    else { return nil }
    return UInt64(limit.rlim_cur) / 1024
  }
}
