import TimerMachine

/// What is known of one key. Touched on the queue of its `PathWatches` alone.
final class KeyWatch {
  /// A number that no other key ever gets.
  let id: UInt64
  /// The key; of the one that takes its place nothing but the debounce differs.
  var key: WatchKey
  /// What it needs watches for, those on the way and that of its target.
  var uses: Set<WatchUse> = []
  /// The change that is not told yet.
  var settling: SettlingChange?
  /// Rings when that change is due; made with the first change.
  var timer: TimerMachine?

  /// What stands at the path, or stood there last and is somewhere else now.
  private var sighting: PathSighting?
  private var isHere = false
  private var isKnown = false
  /// Whether it was written when it was not certain that it stands at the path.
  private var wasTouched = false

  /// A key of which nothing is known yet.
  init(id: UInt64, key: WatchKey) {
    self.id = id
    self.key = key
  }

  /// The watch of what has left the path: if it comes back, it is known whether it was written.
  var leftBehind: Int32? { isHere ? nil : sighting?.watch }

  /// The target was written. Returns whether that is a change now; when the place of the target is
  /// `uncertain`, the next walk decides.
  func wasWritten(uncertain: Bool) -> Bool {
    if isHere && !uncertain { return true }
    wasTouched = true
    return false
  }

  /// The system has ended a watch.
  func watchEnded(_ watch: Int32) {
    uses = uses.filter { $0.watch != watch }
    guard sighting?.watch == watch else { return }
    sighting = nil
    isHere = false
  }

  /// A walk has found this at the path, or nothing. Returns whether that is a change: something
  /// that was not there. What is found first is how it was before.
  func found(_ found: PathSighting?) -> Bool {
    defer { isKnown = true }
    guard let found else {
      isHere = false
      return false
    }
    let isSame = sighting.map { $0.isSame(as: found) } ?? false
    let isChange = isKnown && (!isSame || wasTouched)
    sighting = found
    isHere = true
    wasTouched = false
    return isChange
  }
}
