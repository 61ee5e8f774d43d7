import TaktCore
import TaktTime

/// Keys that say when a job is due and may stand in `defaults`.
extension ExecutionBuilder {
  /// How far jobs are put off; nil for `null`, and for what is wrong.
  func spread(_ value: KeyValue, at mark: YAMLMark) -> JobDefaults.SpreadRule? {
    switch value {
    case .duration(let over): return JobDefaults.SpreadRule(over: over, isByHost: false)
    case .object(let fields):
      guard let over = fields[Key.over] else {
        reporter.report(
          .missingKey, at: mark, "'\(Key.spread)' does not say up to how much",
          hint: "add '\(Key.over)', such as 5m", owner: owner)
        return nil
      }
      return over.value?.duration.map {
        JobDefaults.SpreadRule(over: $0, isByHost: fields[Key.by]?.value?.text == "host")
      }
    default: return nil
    }
  }

  /// Times that are left out; what is wrong is reported.
  func exceptions(
    _ value: KeyValue
  ) -> [(expression: CalendarExpression, isWholeDays: Bool, zone: Zone?)] {
    (value.list ?? []).compactMap { item in
      guard let text = item.value.text else { return nil }
      do throws(CalendarProblem) {
        let expression = try CalendarExpression(text)
        var zone: Zone?
        if let name = expression.zoneName {
          zone = sources.zones.zone(named: name, at: item.mark, reporter)
          if zone == nil { return nil }
        }
        return (expression, Exclusion.namesWholeDays(text, expression), zone)
      } catch {
        reporter.report(
          error.sentence, error.hint, in: text, at: error.offset, item.mark, owner: owner)
        return nil
      }
    }
  }
}

extension Reporter {
  /// Reports what is wrong with an expression, and where in it.
  func report(
    _ sentence: String, _ hint: String?, in text: String, at offset: Int, _ mark: YAMLMark,
    owner: KeyOwner
  ) {
    // Bytes before it, as a person counts characters.
    let before = String(decoding: text.utf8.prefix(offset), as: UTF8.self).count
    report(
      .badSchedule, at: mark, "\(sentence), at character \(before + 1) of '\(text.shortened)'",
      hint: hint, owner: owner)
  }
}
