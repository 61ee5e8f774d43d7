import Foundation

/// The rules of Prometheus' text format and of naming, as `promtool check metrics` has them.
enum PrometheusLint {
  static func problems(in text: String) -> [String] {
    var lint = State()
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      lint.add(String(line))
    }
    lint.endFamily()
    if !text.hasSuffix("\n") { lint.problems.append("the last line has no end") }
    return lint.problems
  }

  private struct State {
    var problems: [String] = []
    var family = ""
    var type = ""
    var help: Set<String> = []
    var types: Set<String> = []
    var seen: Set<String> = []
    var buckets: [String: [(bound: Double, value: Double)]] = [:]
    var counts: [String: Double] = [:]

    mutating func add(_ line: String) {
      let words = line.split(separator: " ", maxSplits: 3).map(String.init)
      if line.hasPrefix("# HELP ") {
        endFamily()
        guard words.count == 4 else { return problems.append("no help: \(line)") }
        if !help.insert(words[2]).inserted { problems.append("help twice: \(words[2])") }
        family = words[2]
      } else if line.hasPrefix("# TYPE ") {
        type = words[3]
        if words[2] != family { problems.append("type without help: \(line)") }
        if !types.insert(words[2]).inserted { problems.append("type twice: \(words[2])") }
        checkName()
      } else {
        sample(line)
      }
    }

    private mutating func checkName() {
      let isName = family.range(of: "^[a-z][a-z0-9_]*$", options: .regularExpression) != nil
      if !isName { problems.append("a bad name: \(family)") }
      if (type == "counter") != family.hasSuffix("_total") {
        problems.append("\(family) is a \(type)")
      }
      for unit in ["_milliseconds", "_ms", "_minutes", "_hours", "_kilobytes"]
      where family.contains(unit) {
        problems.append("\(family) is in no base unit")
      }
    }

    private mutating func sample(_ line: String) {
      let form = #"^([a-z_][a-z0-9_]*)(\{([a-z_]+="([^"\\\n]|\\.)*"(,|(?=\})))+\})? (\S+)$"#
      guard line.range(of: form, options: .regularExpression) != nil,
        let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...])
      else { return problems.append("no sample: \(line)") }
      let series = String(line[..<space])
      if !seen.insert(series).inserted { problems.append("twice: \(series)") }
      let name = String(series.prefix { $0 != "{" })
      let suffixes =
        switch type {
        case "histogram": ["_bucket", "_sum", "_count"]
        case "summary": ["", "_sum", "_count"]
        default: [""]
        }
      guard suffixes.contains(where: { family + $0 == name }) else {
        return problems.append("\(name) stands under \(family)")
      }
      guard type == "histogram" else { return }
      let labels = series.dropFirst(name.count).dropFirst().dropLast()
        .split(separator: ",").map(String.init)
      let key = labels.filter { !$0.hasPrefix("le=") }.joined(separator: ",")
      if name.hasSuffix("_bucket") {
        let bound = labels.first { $0.hasPrefix("le=") }?.dropFirst(4).dropLast() ?? ""
        buckets[key, default: []].append(
          (Double(bound.replacing("+Inf", with: "inf")) ?? .nan, value))
      } else if name.hasSuffix("_count") {
        counts[key] = value
      }
    }

    /// Buckets go up, end at infinity, and agree with the count.
    mutating func endFamily() {
      for (key, all) in buckets {
        let isAscending = zip(all, all.dropFirst()).allSatisfy {
          $0.bound < $1.bound && $0.value <= $1.value
        }
        if !isAscending || all.last?.bound != .infinity || all.last?.value != counts[key] {
          problems.append("the buckets of \(family) {\(key)}")
        }
      }
      (buckets, counts, type) = ([:], [:], "")
    }
  }
}
