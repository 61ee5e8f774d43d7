import TaktTesting
import TaktTime

/// A duration and an instant. What takt writes it reads back.
struct TimeTextTarget: FuzzTarget {
  static let name = "times"
  static let summary = "durations and instants, as files and commands have them"

  mutating func read(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let duration = try? DurationText.parse(text) {
      let written = DurationText.format(duration)
      precondition(
        (try? DurationText.parse(written)) == duration, "'\(written)' is another duration")
    }
    for preference in [TypedInstant.Preference.past, .today, .future] {
      _ = try? TypedInstant.read(
        text, at: FixedTime.wall, in: FixedZones.berlin, preferring: preference)
    }
  }
}
