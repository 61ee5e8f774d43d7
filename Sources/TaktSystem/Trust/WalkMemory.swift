import CTaktSystem
import Glibc

/// The facts of a walk in memory of C's, which a child that reads for takt can fill.
final class WalkMemory {
  let trail: OpaquePointer

  /// Nil where there is no memory.
  init?() {
    // The trail is this object's own until it is released.
    guard let trail = csystem_trail_make() else { return nil }
    self.trail = trail
  }

  deinit { csystem_trail_free(trail) }

  /// Makes it a copy of another walk's; of none, an empty one.
  func set(_ other: WalkMemory?) { csystem_trail_set(trail, other?.trail) }

  var facts: FileTrail {
    var facts: [FileFact] = []
    for place in 0..<csystem_trail_count(trail) {
      // Name and status are the trail's, the name ends with a zero, and both are copied at once.
      let fact = csystem_trail_fact(trail, place)
      let name = String(cString: fact.name)
      let folder = fact.folder < 0 ? nil : Int(fact.folder)
      let path =
        switch folder {
        case nil: "/"
        case 0?: "/\(name)"
        case let folder?: "\(facts[folder].path)/\(name)"
        }
      var status = FileStatus(fact.status.pointee)
      if fact.is_told != 0 { status.belongToMounter() }
      facts.append(FileFact(status, path: path, folder: folder))
    }
    let last = csystem_trail_last(trail)
    return FileTrail(facts, last: last < 0 ? nil : Int(last))
  }
}
