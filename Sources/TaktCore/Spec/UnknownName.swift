/// Words about a name that no job has.
package enum UnknownName {
  private static let shownMax = 5

  /// The jobs that the `for_each` of a definition makes, the first ones.
  package static func words(family: String, _ members: some Collection<String>, total: Int)
    -> String
  {
    let names = members.prefix(shownMax).map { "'\($0)'" }.joined(separator: ", ")
    let more = total > shownMax ? " and \(total - shownMax) more" : ""
    return "'\(family)' is a definition with 'for_each', which makes \(names)\(more)"
  }
}

extension Snapshot {
  /// The likely intention of a name that no job has: the jobs of the definition with `for_each`, or
  /// the nearest name of a job or such a definition. Nil for none.
  ///
  /// - Parameter others: names that count, too.
  package func advice(onUnknown name: String, besides others: [String] = []) -> String? {
    let members = jobs.filter { $0.family?.text == name }.map(\.name.text).sorted()
    if !members.isEmpty {
      return UnknownName.words(family: name, members, total: members.count)
    }
    let families = Set(jobs.compactMap(\.family?.text))
    return NearestName.of(name, among: others + jobs.map(\.name.text) + families.sorted())
      .map { "did you mean '\($0)'?" }
  }
}
