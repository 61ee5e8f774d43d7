import TaktCore

/// A job that waits for the end of another's runs, with the place of the trigger.
struct FollowingLink {
  /// Identifies the link; a file may be read twice.
  struct Identity: Hashable {
    var child: String
    var parent: String
  }

  var child: String
  var parent: String
  var location: SourceLocation
  var sourceLine: String?
  /// True if the job waits for several others together.
  var isOfAll = false
  /// The words in place of the job's, if a line of a file has made it; nil otherwise.
  var concealment: Concealment?
}

extension [FollowingLink] {
  /// A parent that does not exist, and circular dependencies.
  ///
  /// - Parameter listed: jobs made from lines of files, which no hint names.
  func problems(among names: [String], listed: Set<JobName> = []) -> [Diagnostic] {
    let known = Set(names)
    let hidden = Set(listed.map(\.text))
    var problems: [Diagnostic] = []
    for link in self where !known.contains(link.parent) {
      problems.append(
        link.diagnostic(
          .unknownJob, "there is no job '\(link.parent.shortened)'",
          // More are not shown, and each takes a search through all names.
          hint: problems.count < ProblemLog.shownBound
            ? NearestName.of(
              link.parent, among: names.lazy.filter { $0 != link.child && !hidden.contains($0) }
            ).map {
              "did you mean '\($0)'?"
            } : nil))
    }
    for cycle in cycles() {
      var way = cycle.map(\.child.shortened) + [cycle[0].child.shortened]
      if let concealed = cycle.first(where: { $0.concealment != nil }) {
        problems.append(concealed.diagnostic(.followingCycle, "", hint: nil))
        continue
      }
      if way.count > 8 { way.replaceSubrange(4..<(way.count - 3), with: ["…"]) }
      problems.append(
        cycle[0].diagnostic(
          .followingCycle,
          "circular dependency: \(way.joined(separator: " → "))",
          hint: "remove one '\(JobKey.after)'"))
    }
    return problems
  }

  /// Each ring of jobs once, as the links from each job to the one that it waits for.
  private func cycles() -> [[FollowingLink]] {
    let links = Dictionary(grouping: self, by: \.child)
    var cycles: [[FollowingLink]] = []
    var isDone: Set<String> = []
    for start in links.keys.sorted() where !isDone.contains(start) {
      // Depth first, with a stack of its own instead of calls: a chain may be as long as the file.
      var way: [FollowingLink] = []
      var onWay: Set<String> = [start]
      var open: [[FollowingLink]] = [links[start] ?? []]
      while let link = open.last?.first {
        open[open.count - 1].removeFirst()
        if onWay.contains(link.parent) {
          let ring = way.drop { $0.child != link.parent }
          cycles.append(ring + [link])
        } else if !isDone.contains(link.parent) {
          way.append(link)
          onWay.insert(link.parent)
          open.append(links[link.parent] ?? [])
        }
        while open.last?.isEmpty == true {
          open.removeLast()
          let leaving = way.popLast()?.parent ?? start
          isDone.insert(leaving)
          onWay.remove(leaving)
        }
      }
      isDone.insert(start)
    }
    return cycles
  }
}

extension FollowingLink {
  func diagnostic(_ code: Diagnostic.Code, _ message: String, hint: String?) -> Diagnostic {
    if let concealment {
      return Diagnostic(
        code, at: location, concealment.message(of: code), hint: concealment.hint(of: code),
        sourceLine: sourceLine)
    }
    return Diagnostic(
      code, at: location, "\(message), in job '\(child.shortened)'", hint: hint,
      sourceLine: sourceLine)
  }
}
