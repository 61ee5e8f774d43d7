import ArgumentParser
import TaktConfig
import TaktCore
import TaktEngine
import TaktTime

/// An instant that a user has typed. All options with one read it here.
enum InstantArgument {
  static let forms = "such as 2026-12-24T18:00, 18:00 or 'tomorrow 06:00'"

  /// Reads an instant without an offset in the zone.
  ///
  /// - Parameter preference: the day that a time of day alone means.
  static func read(
    _ text: String, of option: String, in zone: Zone,
    preferring preference: TypedInstant.Preference = .today
  ) throws -> WallInstant {
    do throws(InstantText.Problem) {
      let instant = try TypedInstant.read(
        text, at: SystemTimeSource().wall, in: zone, preferring: preference)
      // West of UTC, the last hours of 2200 are in 2201 by UTC, which the API reads.
      guard CivilTime(epochSeconds: instant.milliseconds / 1000).year <= 2200 else {
        throw InstantText.Problem.outOfRange
      }
      return instant
    } catch {
      throw ValidationError("\(option) takes an instant \(forms)\(error.words(of: text)).")
    }
  }

  /// The start of a range of the past: a duration such as `90m` before now, an instant, or a day.
  static func since(_ text: String, in zone: Zone) throws -> WallInstant {
    if let duration = try? DurationText.parse(text) { return SystemTimeSource().wall - duration }
    return try period(text, of: "--since", "a duration such as 90m or 1d, ", in: zone).first
  }

  /// The end of a range of the past: a duration before now, an instant, or the end of a day.
  static func until(_ text: String, in zone: Zone) throws -> WallInstant {
    if let duration = try? DurationText.parse(text) { return SystemTimeSource().wall - duration }
    let period = try period(text, of: "--until", "a duration such as 90m or 1d, ", in: zone)
    return period.isLong ? period.end : period.first
  }

  /// The end of a range in the future: a duration from now, an instant, or the end of a day.
  static func ahead(_ text: String, of option: String, in zone: Zone) throws -> WallInstant {
    if let duration = try? DurationText.parse(text) { return SystemTimeSource().wall + duration }
    let period = try period(
      text, of: option, "a duration such as 90m or 1d, ", in: zone, preferring: .future)
    return period.isLong ? period.end : period.first
  }

  /// The time that a text names: an instant to the unit that was typed, a day or a night.
  ///
  /// - Parameters:
  ///   - others: the option's other forms.
  ///   - preference: the day that a time of day alone means, or a weekday.
  static func period(
    _ text: String, of option: String, _ others: String = "", in zone: Zone,
    preferring preference: TypedInstant.Preference = .past
  ) throws -> TypedPeriod {
    do throws(InstantText.Problem) {
      return try TypedPeriod(text, at: SystemTimeSource().wall, in: zone, preferring: preference)
    } catch {
      throw ValidationError(
        "\(option) takes \(others)an instant \(forms), or a day such as yesterday or "
          + "'last night'\(error.words(of: text)).")
    }
  }
}

extension InstantText.Problem {
  /// The end of a sentence on an option's forms.
  fileprivate func words(of text: String) -> String {
    switch self {
    case .form: "; '\(text.printable)' is none"
    case .bareDate: "; '\(text.printable)' has no time of day"
    case .noSuchTime: "; '\(text.printable)' does not exist"
    case .outOfRange: "; '\(text.printable)' is not between 1970 and 2200"
    }
  }
}

/// The time zone in which commands show times to people: that of the jobs file.
enum ShownZone {
  static func of(_ place: DaemonPlace) -> Zone {
    let zones = ZoneFiles()
    return place.zoneName.flatMap { zones.zone(named: $0) } ?? local
  }

  static var local: Zone { ZoneFiles().zone(named: "local") ?? .utc }

  /// A text of takt's own with each instant in it as people read it.
  static func localized(_ text: String, in zone: Zone) -> String {
    // "2026-12-24T18:00:00.000Z"
    let length = 24
    guard text.utf8.count >= length, text.utf8.contains(UInt8(ascii: "Z")) else { return text }
    var shown = ""
    var rest = text[...]
    while let end = rest.firstIndex(of: "Z") {
      let part = rest[...end]
      rest = rest[rest.index(after: end)...]
      let stamp = part.suffix(length)
      if stamp.count == length, let instant = (try? InstantText(String(stamp)))?.instant {
        shown += part.dropLast(length) + instant.rfc3339(in: zone)
      } else {
        shown += part
      }
    }
    return shown + rest
  }
}
