import TaktCore

/// The weight of a loss. The worst comes first.
package enum LossSeverity: String, CaseIterable, Comparable, Sendable {
  /// A command runs at other times, in another environment, or not at all.
  case changesRun = "changes_what_runs"
  /// The same command runs, with fewer restrictions.
  case protectsLess = "protects_less"
  /// takt does not need it, or has it in any case.
  case noMeaning = "no_meaning_here"

  package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .changesRun: 0
    case .protectsLess: 1
    case .noMeaning: 2
    }
  }

  package var title: String { rawValue.replacing("_", by: " ") }
}
