import Dispatch
import Glibc
import TaktCore
import TaktSystem
import TaktTime
import TimerMachine

/// Tells when something changes at a path: at any number of paths, each for an owner.
///
/// What a change is each key says. By default it is, where the path is a file, that it is created,
/// written or moved to its place; where it is a folder, that an entry directly inside is. That
/// something is removed or moved away is none, so a job that empties its inbox does not wake itself;
/// neither is a change of rights or times. What appears anew at the path is a change, whichever
/// folder or link on the way has brought it there.
///
/// Of a folder, a key may ask for the folders below as well, and for some entries alone. Each of these
/// folders is watched first and read then, and read again when a folder comes or goes, so that what is
/// in a new one before it is watched is told, too.
///
/// Nothing on the way need be there. The path is followed by watches of all folders that lead to
/// it, and of their entries alone that bear the name of the next one; each walk along it sets a
/// watch first and looks then, so that nothing is lost between. What the kernel does not tell is
/// not seen: that another computer writes on a network file system, that a file is written through
/// `mmap`, that a file system is mounted over a folder on the way.
///
/// Safe from any thread. No caller waits for the disk: all work is done on one serial queue, and
/// all that may hang on a thread that the queue waits for only briefly. A path on a file system that
/// does not answer is not armed until it does; the others are.
///
/// `@unchecked Sendable`: all that changes is touched on `queue` alone; every way in goes there.
final class PathWatches: @unchecked Sendable {
  /// How long until a path that could not be watched is tried again.
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
  /// Where the walks of keys hang.
  private var hanging: [UInt64: [CChar]] = [:]
  private var retryTimer: SafeTimer?
  /// Whether the reactor has refused the descriptor.
  private var isUnresponsive = false

  /// - Parameters:
  ///   - reactor: waits for the events.
  ///   - factory: makes one timer for each key that changes, and one for what was refused; debounces
  ///     are counted on its clocks.
  ///   - timerLog: told of every transition of those timers. Default none.
  ///   - queue: where the work is done and both callbacks are made; serial. `nil` makes one.
  ///   - add: what adds a watch, for tests.
  ///   - onPaths: a key's path has changed; with all paths at which something has.
  ///   - onChange: the same, without them.
  ///   - onError: a path cannot be watched: a sentence for people that says what to do. Told once
  ///     for each path and cause until it is over.
  /// - Throws: when the system has no inotify descriptor left.
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

  /// Watches these keys, and no others from now on.
  ///
  /// A key that stays is left as it is, also a change of it that is not told yet; of one whose
  /// debounce alone is another, that change is kept as well. What changed before this call, or
  /// before the reading, is no change of a new key. Returns at once; when the queue has done the work, a
  /// key that was removed is not called back any more. Paths that could not be watched are tried
  /// again.
  ///
  /// - Parameters:
  ///   - read: what the caller has read at the paths, and when: of new keys that sense differences, a
  ///     later change is told too.
  ///   - done: called on the queue when the paths are watched, before any change is told.
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

  /// Does on the queue what is to be done for all that has happened so far, and waits for it: for
  /// tests, which cannot know otherwise that nothing is to be told.
  func catchUp() {
    queue.sync { absorbAll() }
  }

  /// How many inodes are watched, for tests.
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

  /// Walks along the paths of these keys. Returns those that have changed.
  private func walkAgain(_ ids: some Sequence<UInt64>) -> Set<UInt64> {
    Set(ids.filter(walk))
  }

  /// Walks along the path of a key. Returns whether something new stands at its end.
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

  /// A walk has returned late. What has happened since at the inodes that it watches was nobody's,
  /// so the path is walked again.
  private func returned(_ id: UInt64, _ walk: PathWalk) {
    hanging[id] = nil
    let watch = keys.watches[id] ?? KeyWatch(id: id, key: walk.key)
    setUses(watch.uses.union(walk.uses), of: watch)
    // Of a key that is gone nothing is needed.
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

  /// One buffer at a time, so that a flood leaves room for other work on the queue.
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
    // Bounded: of one who writes faster than this reads, the rest is left to the next turn.
    var buffersLeft = 64
    while buffersLeft > 0, absorb() { buffersLeft -= 1 }
  }

  /// Takes what one buffer holds of what has happened. Returns false when it was nothing.
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
        // Virtual time rings on the thread that moves it.
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
    // One that waits is not put off.
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
