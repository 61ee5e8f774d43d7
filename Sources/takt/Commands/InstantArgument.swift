import ArgumentParser
import TaktCore
import TaktTime

/// An instant that somebody has typed.
enum InstantArgument {
  /// The instant; without an offset it is read in the zone.
  static func read(_ text: String, of option: String, in zone: Zone) throws -> WallInstant {
    guard let written = try? InstantText(text) else {
      throw ValidationError(
        "\(option) takes an instant such as 2026-12-24T18:00 or 2026-12-24T18:00:00Z.")
    }
    if let instant = written.instant { return instant }
    switch zone.read(written.civil) {
    case .once(let instant), .skipped(let instant), .twice(let instant, _): return instant
    }
  }
}
