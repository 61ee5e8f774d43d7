extension WallInstant {
  /// `2026-11-21T10:04:05.123Z`, or with an offset such as `+01:00` in a zone that has one.
  package func rfc3339(in zone: Zone = .utc) -> String {
    let offset = zone.offsetSeconds(at: self)
    let civil = zone.civilTime(at: self)
    var text = civil.description
    // RFC 3339 knows no seconds in an offset; zones before 1972 that have them are rounded.
    let minutes = abs(offset) / 60
    if offset == 0 {
      text += "Z"
    } else {
      text += (offset < 0 ? "-" : "+") + (minutes / 60).padded(2) + ":" + (minutes % 60).padded(2)
    }
    return text
  }
}

extension CivilTime: CustomStringConvertible {
  /// `2026-11-21T10:04:05.123`
  package var description: String {
    year.padded(4) + "-" + month.padded(2) + "-" + day.padded(2) + "T" + timeOfDay
  }

  /// `10:04:05.123`
  package var timeOfDay: String {
    hour.padded(2) + ":" + minute.padded(2) + ":" + second.padded(2) + "."
      + millisecond.padded(3)
  }
}

extension Int {
  /// The number with leading zeros, at least `width` digits.
  package func padded(_ width: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
  }
}
