import TaktAPI
import TaktCore
import TaktTime

struct PlanLines {
  /// Keys whose values are instants.
  private static let timeKeys: Set<String> = ["at", "not_before", "until"]

  let zone: Zone

  func print(_ plan: API.Plan) {
    for step in plan.steps { print(step) }
    for rename in plan.renames {
      Console.print("hint: '\(rename.to)' looks like '\(rename.from)' renamed; it is a new job")
    }
    for line in plan.settings {
      let key = line.prefix { $0 != ":" }
      let isLater = plan.needsRestart.contains(String(key))
      Console.print(
        "~ scheduler.\(line)\(isLater ? "  (needs a restart)" : "")".printable, in: .yellow)
    }
    let counts = ReloadPlan.Change.allCases.map { change in
      let count =
        change == .kept
        ? plan.kept : plan.steps.count { $0.change == change.rawValue }
      return "\(count) \(change.rawValue)"
    }
    Console.print(counts.joined(separator: ", "))
  }

  private func print(_ step: API.Plan.Step) {
    let (sign, colour): (String, TerminalColour) =
      switch ReloadPlan.Change(rawValue: step.change) {
      case .added: ("+", .green)
      case .removed: ("-", .red)
      case .updated, .rearmed, .kept, nil: ("~", .yellow)
      }
    Console.print("\(sign) \(step.job)  \(step.change)", in: colour)
    for detail in step.details {
      if let values = detail.values, !values.isEmpty {
        for value in values { print(value) }
      } else if detail.from == nil, detail.to == nil {
        Console.print("    \(detail.key) changed")
      } else {
        let isTime = Self.timeKeys.contains(detail.key)
        let texts = [detail.from, detail.to].map { text in
          isTime ? text.map { ShownZone.localized($0, in: zone) } : text
        }
        print(API.Plan.Step.Detail.Value(path: detail.key, from: texts[0], to: texts[1]))
      }
    }
  }

  private func print(_ value: API.Plan.Step.Detail.Value) {
    let (from, to) = (value.from ?? "none", value.to ?? "none")
    if from == to {
      Console.print("    \(value.path): \(from.printable), changed where it is masked".printable)
    } else if from.contains("\n") || to.contains("\n") {
      Console.print("    \(value.path):".printable)
      for line in LineDifference.lines(from: value.from ?? "", to: value.to ?? "") {
        Console.print(
          "      \(line.printable)",
          in: line.hasPrefix("-") ? .red : line.hasPrefix("+") ? .green : .none)
      }
    } else {
      Console.print("    \(value.path): \(from) → \(to)".printable)
    }
  }
}

/// The lines in which two texts differ, with their neighbours.
enum LineDifference {
  private static let contextCount = 2

  /// Lines that start with `-`, `+` or a space; `…` stands for equal lines that are left out.
  static func lines(from old: String, to new: String) -> [String] {
    let before = split(old)
    let after = split(new)
    let difference = after.difference(from: before)
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in difference {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    var all: [(sign: Character, text: Substring)] = []
    var (i, j) = (0, 0)
    while i < before.count || j < after.count {
      if i < before.count, removed.contains(i) {
        all.append(("-", before[i]))
        i += 1
      } else if j < after.count, inserted.contains(j) {
        all.append(("+", after[j]))
        j += 1
      } else {
        all.append((" ", after[j]))
        i += 1
        j += 1
      }
    }
    let changed = all.indices.filter { all[$0].sign != " " }
    var shown: Set<Int> = []
    for place in changed {
      shown.formUnion(max(0, place - contextCount)...min(all.count - 1, place + contextCount))
    }
    var lines: [String] = []
    for place in all.indices {
      if shown.contains(place) {
        lines.append("\(all[place].sign) \(all[place].text)")
      } else if lines.last != "…" {
        lines.append("…")
      }
    }
    return lines
  }

  /// The lines of a text; its last line end does not start another.
  private static func split(_ text: String) -> [Substring] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.last?.isEmpty == true ? Array(lines.dropLast()) : lines
  }
}
