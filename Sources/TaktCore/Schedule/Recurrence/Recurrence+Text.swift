extension Recurrence: CustomStringConvertible {
  /// The recurrence in one form: DTSTART, RRULE, RDATE and EXDATE in local time, without the zone;
  /// what is an instant in UTC. It reads back as an equal value.
  package var normalized: String {
    var parts = ["DTSTART:" + RecurrenceTime.text(start)]
    if let rule { parts.append("RRULE:\(rule.text)") }
    for (name, times) in [("RDATE", dates), ("EXDATE", exceptions)] where !times.isEmpty {
      parts.append("\(name):" + times.text)
    }
    return parts.joined(separator: " ")
  }

  package var description: String { normalized }
}
