import TaktCore
import TaktTime

struct CalendarsBuilder {
  /// The most separate ranges of days and times of a calendar.
  private static let rangesMax = 10_000

  let reporter: Reporter
  let sources: LoadSources
  /// Absolute, the base of relative paths.
  let folder: String

  func calendars(of fields: [KeyValue.MapField]) -> [String: SharedCalendar] {
    var calendars: [String: SharedCalendar] = [:]
    for field in fields {
      guard let keys = field.value?.object else { continue }
      calendars[field.name] = calendar(field, keys)
    }
    return calendars
  }

  private func calendar(_ field: KeyValue.MapField, _ keys: KeyFields) -> SharedCalendar {
    let owner = KeyOwner(part: .file, key: field.name)
    var days: [Range<Int64>] = []
    var content = SharedCalendar.Content()
    let given = [Key.dates, Key.file, Key.expressions].contains { keys[$0] != nil }
    if !given, !keys.hasUnknownKeys {
      reporter.report(
        .missingKey, at: field.nameMark,
        "the calendar '\(field.name)' has none of '\(Key.dates)', '\(Key.file)' and "
          + "'\(Key.expressions)'", hint: "write \(field.name): {dates: [2026-12-25]}")
    }
    let errorCount = reporter.errorCount
    for item in keys[Key.dates]?.value?.list ?? [] {
      if let range = self.days(item, owner) { days.append(range) }
    }
    for item in keys[Key.file]?.value?.list ?? [] {
      guard let path = item.value.text, isLocal(path, item, owner) else { continue }
      let read = sources.calendarFiles.content(
        of: FilePath.absolute(FilePath.join(folder, path)), shown: FilePath.join(folder, path),
        at: item.mark, reporter: reporter)
      days += read.days.ranges
      content.floating += read.floating
      content.times = NumberRanges(content.times.ranges + read.times.ranges)
      content.events += read.events
    }
    if let list = keys[Key.expressions]?.value?.list {
      content.expressions = list.compactMap { expression($0, owner) }
    }
    content.days = NumberRanges(days)
    let calendar = SharedCalendar(field.name, content)
    check(
      calendar, field,
      hasErrors: reporter.errorCount > errorCount || !given
        || keys.fields.contains { $0.value == nil })
    return calendar
  }

  /// Reports a URL, which takt would have to fetch.
  private func isLocal(_ path: String, _ item: KeyValue.Located, _ owner: KeyOwner) -> Bool {
    let start = path.prefix(10).lowercased()
    guard ["http://", "https://", "ftp://", "webcal://"].contains(where: { start.hasPrefix($0) })
    else { return true }
    reporter.report(
      .badValue, at: item.mark, "'\(Key.file)' must be a path, not a URL",
      hint: "takt does not fetch files; download it, and write its path", owner: owner)
    return false
  }

  private func check(_ calendar: SharedCalendar, _ field: KeyValue.MapField, hasErrors: Bool) {
    // The number of its ranges differs little from zone to zone.
    let content = calendar.content.read(in: .utc)
    let count = content.days.count + content.times.count
    if count > Self.rangesMax {
      reporter.report(
        .outOfRange, at: field.nameMark,
        "the calendar '\(field.name)' has \(count) separate ranges of days and times; the most is "
          + "\(Self.rangesMax)", hint: "write what recurs as an expression")
    }
    if content.events.count > CalendarFile.recurringMax {
      reporter.report(
        .outOfRange, at: field.nameMark,
        "the calendar '\(field.name)' has \(content.events.count) recurring events; the most is "
          + "\(CalendarFile.recurringMax)")
    }
    if hasErrors || sources.calendarFiles.hasFailed { return }
    if calendar.isEmpty {
      reporter.report(
        .suspicious, severity: .warning, at: field.nameMark,
        "the calendar '\(field.name)' names no day and no time")
    } else if sources.machineFiles != nil, content.isOver(at: sources.loadedAt) {
      reporter.report(
        .suspicious, severity: .warning, at: field.nameMark,
        "all days and times of the calendar '\(field.name)' are in the past",
        hint: "add those to come")
    }
  }

  /// Parses `2026-12-25` or `2026-12-24..2027-01-02`.
  private func days(_ item: KeyValue.Located, _ owner: KeyOwner) -> Range<Int64>? {
    guard let text = item.value.text else { return nil }
    var parts = [Substring(text)]
    if let dots = text.range(ofDots: ()) {
      parts = [text[..<dots.lowerBound], text[dots.upperBound...]]
    }
    let days = parts.compactMap { DayFilter.day($0) }
    guard days.count == parts.count else {
      reporter.report(
        .badValue, at: item.mark,
        "'\(Key.dates)' takes dates that exist, such as 2026-12-25 or 2026-12-24..2027-01-02, not "
          + "'\(text.shortened)'",
        hint: text.contains("*") ? "write it under '\(Key.expressions)'" : nil, owner: owner)
      return nil
    }
    let (first, last) = (days[0], days[days.count - 1])
    guard first >= 0 else {
      reporter.report(
        .outOfRange, at: item.mark, "'\(text.shortened)' is before 1970-01-01", owner: owner)
      return nil
    }
    guard first <= last else {
      reporter.report(
        .badValue, at: item.mark, "'\(text.shortened)' ends before it begins",
        hint: "swap the dates", owner: owner)
      return nil
    }
    return first..<(last + 1)
  }

  private func expression(
    _ item: KeyValue.Located, _ owner: KeyOwner
  ) -> SharedCalendar.Expression? {
    guard let text = item.value.text else { return nil }
    return reporter.timesExpression(text, at: item.mark, zones: sources.zones, owner: owner)
  }
}

extension String {
  /// The first `..`.
  fileprivate func range(ofDots _: Void) -> Range<Index>? {
    let dot = UInt8(ascii: ".")
    guard
      let first = utf8.indices.first(where: { index in
        let next = utf8.index(after: index)
        return utf8[index] == dot && next < utf8.endIndex && utf8[next] == dot
      })
    else { return nil }
    return first..<utf8.index(first, offsetBy: 2)
  }
}

extension SharedCalendar.Content {
  /// True if all of its content has passed, as far as that is easy to tell.
  fileprivate func isOver(at now: WallInstant) -> Bool {
    guard events.isEmpty, expressions.isEmpty else { return false }
    let second = now.milliseconds / 1000 - 86_400
    let last = [
      (days.ranges.last?.upperBound).map { $0 * 86_400 }, times.ranges.last?.upperBound,
    ].compactMap(\.self).max()
    return last.map { $0 < second } ?? false
  }
}
