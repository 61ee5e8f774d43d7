import Dispatch
import Glibc
import TaktCore
import TaktSystem
import TimerMachine

/// Reports changes at any number of paths, each for an owner.
///
/// Each key defines what counts as a change. By default, a file must be created, written or moved
/// to its path; of a folder, this must happen to an entry directly inside. Removing or moving away
/// is no change, so a job that empties its inbox does not wake itself; neither is a change of
/// rights or times. Something new at the path is a change, whichever folder or link on the way has
/// brought it there.
///
/// In a folder, a key may include the folders below as well, or restrict the entries that count.
/// Each of these folders is watched first and read then, and read again when a folder comes or
/// goes, so that entries that were in a new one before it was watched are reported, too.
///
/// Nothing on the way needs to exist. The path is followed by watches of all folders that lead to
/// it, but only for entries with the name of the next one; each walk along it sets a watch first
/// and reads then, so that nothing is lost in between. Changes that the kernel does not report are
/// not seen: writes by another computer on a network file system, writes through `mmap`, a file
/// system mounted over a folder on the way.
///
/// Safe from any thread. No caller waits for the disk: all work is done on one serial queue, and
/// calls that may hang on a thread that the queue waits for only briefly. A path on a file system
/// that does not answer is not armed until it does; the others are.
///
/// `@unchecked Sendable`: all mutable state is touched on `queue` only; every entry point goes
/// there.
final class PathWatches: @unchecked Sendable {
  /// The time after which a path that could not be watched is tried again.
  static let retryDelay = Duration.seconds(30)

  private let reactor: Reactor
  private let factory: any TimerFactory
  private let timerLog: (any TimerObserver)?
  private let queue: DispatchQueue
  private let onPaths: @Sendable (WatchKey, ChangedPaths) -> Void
  private let onChange: @Sendable (WatchKey) -> Void
  private let onError: @Sendable (String) -> Void
  private let inotify: Inotify
  private var walker = PathWalker(patience: .milliseconds(500))
  private var keys = WatchSet()
  /// The places at which the walks of keys hang.
  private var hanging: [UInt64: [CChar]] = [:]
  private var retryTimer: SafeTimer?
  /// True if the reactor has refused the descriptor.
  private var isUnresponsive = false

  /// - Parameters:
  ///   - reactor: waits for the events.
  ///   - factory: makes one timer for each key that changes, and one for refused watches; its
  ///     clocks measure the debounces.
  ///   - timerLog: gets every transition of those timers. Default none.
  ///   - queue: runs the work and the callbacks; serial. `nil` makes one.
  ///   - add: adds a watch; replaced in tests.
  ///   - onPaths: a key's path has changed; with all paths at which something has.
  ///   - onChange: the same, without the paths.
  ///   - onError: a path cannot be watched: a sentence for people that says what to do. Called once
  ///     for each path and cause until it is over.
  /// - Throws: if the system has no inotify descriptor left.
  init(
    reactor: Reactor, factory: any TimerFactory, timerLog: (any TimerObserver)? = nil,
    queue: DispatchQueue? = nil,
    add: @escaping Inotify.Add = { inotify_add_watch($0, $1, $2) },
    onPaths: @escaping @Sendable (WatchKey, ChangedPaths) -> Void = { _, _ in },
    onChange: @escaping @Sendable (WatchKey) -> Void,
    onError: @escaping @Sendable (String) -> Void
  ) throws(SystemError) {
    self.reactor = reactor
    self.factory = factory
    self.timerLog = timerLog
    self.queue = queue ?? DispatchQueue(label: "takt.paths", qos: .utility)
    self.onPaths = onPaths
    self.onChange = onChange
    self.onError = onError
    inotify = try Inotify(add: add)
    listen()
  }

  deinit { inotify.close(on: reactor) }

  /// Watches exactly these keys from now on.
  ///
  /// A key that stays is left as it is, including a change that is not reported yet; if only the
  /// debounce differs, that change is kept as well. Changes before this call, or before the
  /// reading, do not count for a new key. Returns at once; when the queue has done the work, a
  /// removed key is not called back any more. Paths that could not be watched are tried again.
  ///
  /// - Parameters:
  ///   - read: the caller's reading of the paths, and its time: for new keys that sense
  ///     differences, a later change is reported too.
  ///   - done: called on the queue when the paths are watched, before any change is reported.
  func watch(
    _ keys: Set<WatchKey>, read: FilesRead? = nil, done: @escaping @Sendable () -> Void = {}
  ) {
    queue.async { [self] in
      absorbAll()
      let changed = replace(keys, read: read)
      done()
      noteChanges(of: changed.union(walkAgain(self.keys.refusals.users)))
      retryLater()
    }
  }

  /// Performs on the queue the work for all events so far, and waits for it: for tests, which
  /// cannot know otherwise that there is nothing to report.
  func catchUp() {
    queue.sync { absorbAll() }
  }

  /// For tests.
  var inodeCount: Int { queue.sync { keys.table.count } }

  /// Returns the new keys that have changed since they were read.
  private func replace(_ keys: Set<WatchKey>, read: FilesRead?) -> Set<UInt64> {
    let change = self.keys.replace(with: keys, read: read)
    for watch in change.renamed {
      watch.debouncer?.change(
        delay: watch.key.debounce, longestWait: watch.key.debounceLongest)
    }
    let changed = walkAgain(change.added.map(\.id))
    for watch in change.removed {
      watch.debouncer?.cancel()
      setUses([], of: watch)
      _ = self.keys.refusals.replace([], of: watch.id)
    }
    return changed
  }

  private func setUses(_ uses: Set<WatchUse>, of watch: KeyWatch) {
    for unused in keys.setUses(uses, of: watch) { inotify.remove(unused) }
  }

  private func walkAgain(_ ids: some Sequence<UInt64>) -> Set<UInt64> {
    Set(ids.filter(walk))
  }

  /// Walks along the path of a key. Returns true if there is something new at its end.
  private func walk(_ id: UInt64) -> Bool {
    guard let watch = keys.watches[id], hanging[id] == nil else { return false }
    let answer = walker.walk(
      along: watch.key, knowing: watch.knownFolders, inotify: inotify,
      avoiding: Set(hanging.values)
    ) { [weak self] walk in
      guard let self else { return }
      queue.async { self.returned(id, walk) }
    }
    switch answer {
    case .found(let walk): return apply(walk, of: watch)
    case .hangs(let place):
      hanging[id] = place
      refuse([WatchRefusal(path: place, number: ETIMEDOUT)], id)
    case .refused(let error):
      let path = Array(watch.key.path.utf8CString.dropLast())
      refuse([WatchRefusal(path: path, number: error.number)], id)
    }
    return false
  }

  private func apply(_ walk: PathWalk, of watch: KeyWatch) -> Bool {
    let isChange = watch.found(walk)
    var uses = walk.uses
    if let left = watch.leftBehind { uses.insert(.target(watch: left)) }
    setUses(uses, of: watch)
    refuse(walk.refusals, watch.id)
    return isChange
  }

  private func refuse(_ found: Set<WatchRefusal>, _ id: UInt64) {
    for refusal in keys.refusals.replace(found, of: id) { onError(refusal.sentence) }
  }

  /// Called when a walk returns late. Events at the inodes that it watches had no key until now, so
  /// the path is walked again.
  private func returned(_ id: UInt64, _ walk: PathWalk) {
    hanging[id] = nil
    let watch = keys.watches[id] ?? KeyWatch(id: id, key: walk.key)
    setUses(watch.uses.union(walk.uses), of: watch)
    // A key that is gone needs no watches.
    if keys.watches[id] == nil { setUses([], of: watch) }
    noteChanges(of: walkAgain(keys.refusals.users))
    retryLater()
  }

  private func listen() {
    let wasUnresponsive = isUnresponsive
    inotify.listen(on: reactor) { [weak self] isAccepted in
      guard isAccepted == wasUnresponsive, let self else { return }
      queue.async { self.update(unresponsive: !isAccepted) }
    } ready: { [weak self] in
      guard let self else { return }
      queue.async { self.turn() }
    }
  }

  /// Processes one buffer at a time, so that a flood leaves room for other work on the queue.
  private func turn() {
    if absorb() {
      queue.async { [weak self] in self?.turn() }
    } else {
      listen()
    }
  }

  private func update(unresponsive: Bool) {
    isUnresponsive = unresponsive
    guard unresponsive else { return }
    onError(
      "changes of watched paths are seen up to 30 s late, because epoll_ctl fails; "
        + "raise fs.epoll.max_user_watches")
    retryLater()
  }

  private func absorbAll() {
    // Bounded: if a writer is faster than this reads, the rest is left to the next turn.
    var buffersLeft = 64
    while buffersLeft > 0, absorb() { buffersLeft -= 1 }
  }

  /// Processes one buffer of events. Returns false if it was empty.
  private func absorb() -> Bool {
    let events = inotify.read()
    guard !events.isEmpty else { return false }
    var turn = WatchTurn()
    for event in events { turn.add(event, &keys.table, keys.watches) }
    noteChanges(of: turn.changed.union(walkAgain(turn.uncertain)))
    retryLater()
    return true
  }

  private func noteChanges(of ids: Set<UInt64>) {
    for id in ids.sorted() {
      guard let watch = keys.watches[id] else { continue }
      let settles = watch.key.debounce > .zero || watch.debouncer?.isActive == true
      guard settles else {
        report(watch)
        continue
      }
      let debouncer = watch.debouncer ?? debouncer(for: watch.key)
      watch.debouncer = debouncer
      debouncer.call { [weak self] in
        guard let self else { return }
        // Virtual time fires on the thread that moves it.
        queue.async { self.settled(id) }
      }
    }
  }

  private func debouncer(for key: WatchKey) -> Debouncer {
    Debouncer(
      clamping: key.debounce, longestWait: key.debounceLongest,
      name: "watch-timer:\(key.owner):\(key.path)", factory: factory, queue: queue,
      observer: timerLog)
  }

  private func settled(_ id: UInt64) {
    guard let watch = keys.watches[id] else { return }
    report(watch)
  }

  private func report(_ watch: KeyWatch) {
    onPaths(watch.key, watch.popChanges())
    onChange(watch.key)
  }

  private func retryLater() {
    guard isUnresponsive || !keys.refusals.isEmpty else {
      retryTimer?.cancel()
      retryTimer = nil
      return
    }
    let timer = retryTimer ?? madeRetryTimer()
    retryTimer = timer
    // A running timer is not delayed further.
    if timer.state != .running { _ = timer.activate(.once(afterClamping: Self.retryDelay)) }
  }

  private func retry() {
    absorbAll()
    noteChanges(of: walkAgain(keys.refusals.users))
    if isUnresponsive { listen() }
    retryLater()
  }

  private func madeRetryTimer() -> SafeTimer {
    SafeTimer(name: "watch-retry-timer", factory: factory, queue: queue, observer: timerLog) {
      [weak self] _ in
      guard let self else { return }
      queue.async { self.retry() }
    }
  }
}
