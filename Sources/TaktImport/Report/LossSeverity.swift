import TaktCore

/// How much it matters that something is not kept. The worst comes first.
package enum LossSeverity: String, CaseIterable, Comparable, Sendable {
  /// A command runs at other times, in other surroundings, or not at all.
  case changesRun = "changes_what_runs"
  /// The same runs, with fewer bounds around it.
  case protectsLess = "protects_less"
  /// takt does without it, or has it in any case.
  case noMeaning = "no_meaning_here"

  package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .changesRun: 0
    case .protectsLess: 1
    case .noMeaning: 2
    }
  }

  /// As reports call it.
  package var title: String { rawValue.replacing("_", by: " ") }
}
