import TaktCore

/// The jobs with series of their own: those that need attention first, then by name.
struct JobNamesInNeed: Sendable {
  var all: [JobName]
  /// By urgency; in no order among themselves.
  var inNeed: [[JobName]]

  /// The first `count`, in order.
  func first(_ count: Int) -> [JobName] {
    if all.count <= count { return all.sorted() }
    var chosen: [JobName] = []
    var known: Set<JobName> = []
    for names in inNeed + [all] where chosen.count < count {
      let added = names.filter { !known.contains($0) }.smallest(count - chosen.count)
      chosen += added
      known.formUnion(added)
    }
    return chosen
  }
}
