package import TaktTime

/// Future slots as a calendar (RFC 5545) for calendar programs: an event for each.
package struct SlotCalendar {
  package struct Event {
    package var spec: JobSpec
    package var slot: Slot

    package init(_ spec: JobSpec, _ slot: Slot) {
      self.spec = spec
      self.slot = slot
    }
  }

  /// The most events of a calendar; the earliest.
  package static let eventsMax = 5000

  private let events: [Event]
  private let stamp: String

  /// - Parameter instant: the time of its creation.
  package init(_ events: [Event], at instant: WallInstant) {
    self.events = Array(
      events.sorted { left, right in
        left.slot.due != right.slot.due
          ? left.slot.due < right.slot.due : left.spec.name < right.spec.name
      }.prefix(Self.eventsMax))
    stamp = Self.utc(instant)
  }

  /// Lines of at most 75 bytes, each with CR and LF at its end.
  package var text: String {
    var text = CalendarLines()
    text.add("BEGIN", "VCALENDAR")
    text.add("VERSION", "2.0")
    text.add("PRODID", "-//takt//slots//EN")
    for event in events {
      let (spec, slot) = (event.spec, event.slot)
      text.add("BEGIN", "VEVENT")
      text.add("UID", "\(slot.nominal.milliseconds)-\(spec.name.text)@takt")
      text.add("DTSTAMP", stamp)
      text.add("DTSTART", Self.utc(slot.due))
      if let expected = spec.policies.expectedDuration {
        text.add("DURATION", "PT\(max(1, expected.milliseconds / 1000))S")
      }
      text.add("SUMMARY", CalendarLines.escaped(spec.name.text))
      let causes = slot.causes.sorted().map(\.rawValue).joined(separator: ", ")
      let words = ["slot \(slot.nominal.rfc3339())", causes, spec.summary]
      text.add(
        "DESCRIPTION",
        CalendarLines.escaped(words.compactMap(\.self).joined(separator: "\n")))
      text.add("TRANSP", "TRANSPARENT")
      text.add("END", "VEVENT")
    }
    text.add("END", "VCALENDAR")
    return text.text
  }

  /// `20260105T090000Z`
  private static func utc(_ instant: WallInstant) -> String {
    RecurrenceTime.text(instant.milliseconds.flooredQuotient(by: 1000)) + "Z"
  }
}

/// Content lines of RFC 5545.
struct CalendarLines {
  private(set) var text = ""

  private static let bytesMax = 75

  mutating func add(_ name: String, _ value: String) {
    var length = 0
    for scalar in "\(name):\(value)".unicodeScalars {
      let bytes = UTF8.width(scalar)
      if length + bytes > Self.bytesMax {
        text += "\r\n "
        length = 1
      }
      text.unicodeScalars.append(scalar)
      length += bytes
    }
    text += "\r\n"
  }

  /// A text as a value: control characters other than line ends are left out.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case ";": escaped += "\\;"
      case ",": escaped += "\\,"
      case "\n": escaped += "\\n"
      case _ where scalar.value < 32 || scalar.value == 127: break
      case _: escaped.unicodeScalars.append(scalar.steersTerminal ? "\u{FFFD}" : scalar)
      }
    }
    return escaped
  }
}
