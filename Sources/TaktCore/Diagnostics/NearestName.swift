/// Suggests the word that the user probably meant.
package enum NearestName {
  /// The candidate with the fewest edits (insert, delete, replace, swap of neighbours), at most a
  /// third of the word's length and never more than three; nil when none is near.
  package static func of(_ word: String, among candidates: some Sequence<String>) -> String? {
    let letters = Array(word.lowercased())
    guard letters.count <= 64 else { return nil }
    let bound = min(3, max(1, letters.count / 3))
    var best: (name: String, distance: Int)?
    for candidate in candidates {
      let distance = distance(letters, Array(candidate.lowercased()), within: bound)
      if distance <= bound, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.name
  }

  /// The number of edits between two words; any number beyond the bound if there are more.
  private static func distance(
    _ left: [Character], _ right: [Character], within bound: Int
  ) -> Int {
    guard abs(left.count - right.count) <= bound else { return .max }
    var rows = [Array(0...right.count)]
    for i in 0..<left.count {
      var row = [i + 1]
      for j in 0..<right.count {
        var cost = min(
          rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (left[i] == right[j] ? 0 : 1))
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          cost = min(cost, rows[i - 1][j - 1] + 1)
        }
        row.append(cost)
      }
      // No later row has fewer than the least of two in succession.
      if i > 0, min(row.min() ?? 0, rows[i].min() ?? 0) > bound { return .max }
      rows.append(row)
    }
    return rows[left.count][right.count]
  }
}
