import TaktCore

/// A plan as the API gives it, and as people read it.
struct PlanAnswer: Decodable {
  struct Step: Decodable {
    struct Detail: Decodable {
      var key: String
      var from: String?
      var to: String?
    }

    var job: String
    var change: String
    var details: [Detail]
  }

  struct Rename: Decodable {
    var from: String
    var to: String
  }

  struct Warning: Decodable {
    var text: String
  }

  var kept: Int
  var steps: [Step]
  var renames: [Rename]
  var settings: [String]
  var warnings: [Warning]

  /// A plan that was made here.
  init(_ plan: ReloadPlan, settings: [String]) {
    kept = plan.keptCount
    steps = plan.steps.map { step in
      Step(
        job: step.spec.name.text, change: step.change.rawValue,
        details: step.details.map { Step.Detail(key: $0.key, from: $0.from, to: $0.to) })
    }
    renames = plan.probableRenames.map { Rename(from: $0.from.text, to: $0.to.text) }
    self.settings = settings
    warnings = []
  }
}

/// A plan for people.
enum PlanLines {
  static func print(_ plan: PlanAnswer) {
    for step in plan.steps { print(step) }
    for rename in plan.renames {
      Console.print("hint: '\(rename.to)' looks like '\(rename.from)' renamed; it is a new job")
    }
    for line in plan.settings { Console.print("~ scheduler.\(line)") }
    let counts = ReloadPlan.Change.allCases.map { change in
      let count =
        change == .kept
        ? plan.kept : plan.steps.count { $0.change == change.rawValue }
      return "\(count) \(change.rawValue)"
    }
    Console.print(counts.joined(separator: ", "))
  }

  private static func print(_ step: PlanAnswer.Step) {
    let sign =
      switch ReloadPlan.Change(rawValue: step.change) {
      case .added: "+"
      case .removed: "-"
      case .updated, .rearmed, .kept, nil: "~"
      }
    Console.print("\(sign) \(step.job)  \(step.change)")
    for detail in step.details {
      let values =
        detail.from == nil && detail.to == nil
        ? " changed" : ": \(detail.from ?? "none") → \(detail.to ?? "none")"
      Console.print("    \(detail.key)\(values)")
    }
  }
}
