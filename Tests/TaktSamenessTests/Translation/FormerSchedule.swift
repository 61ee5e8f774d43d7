import FormerCore
import TaktCore
import TaktTime

extension TaktCore.Schedule: HasFormer {
  var former: FormerCore.Schedule {
    var former = FormerCore.Schedule(
      every: every?.former, rules: rules.former, at: at, on: Set(on.map(\.former)))
    former.after = Set(after.map(\.former))
    former.watch = Set(watch.map(\.former))
    former.notBefore = notBefore
    former.until = until
    former.limit = limit
    former.exclusions = exclusions.former
    return former
  }
}

extension TaktCore.Every: HasFormer {
  var former: FormerCore.Every {
    var former = FormerCore.Every(interval, from: origin.former, first: first)
    former.phase = phase.former
    return former
  }
}

extension TaktCore.Following: HasFormer {
  var former: FormerCore.Following { FormerCore.Following(job.former, on: condition.former) }
}

extension TaktCore.PathWatch: HasFormer {
  var former: FormerCore.PathWatch { FormerCore.PathWatch(path: path, debounce: debounce) }
}

extension TaktCore.ClockRule: HasFormer {
  var former: FormerCore.ClockRule {
    FormerCore.ClockRule(
      expression.former, zone: zone,
      dst: FormerCore.DSTPolicy(gap: dst.gap.former, overlap: dst.overlap.former))
  }
}

// By its normal form, which reads back as the same: how it is stored is each core's own.
extension TaktCore.ClockRule.Expression: HasFormer {
  var former: FormerCore.ClockRule.Expression {
    switch self {
    case .cron(let cron, let days):
      guard let read = try? FormerCore.CronExpression(cron.normalized) else {
        preconditionFailure("the former core cannot read cron \(cron.normalized)")
      }
      return .cron(read, days: days.former)
    case .calendar(let calendar): return .calendar(calendar.former)
    }
  }
}

extension TaktCore.CalendarExpression: HasFormer {
  var former: FormerCore.CalendarExpression {
    guard let read = try? FormerCore.CalendarExpression(normalized) else {
      preconditionFailure("the former core cannot read calendar \(normalized)")
    }
    return read
  }
}

extension TaktCore.Exclusion: HasFormer {
  var former: FormerCore.Exclusion {
    FormerCore.Exclusion(expression.former, isWholeDays: isWholeDays, zone: zone)
  }
}

extension TaktCore.Timing: HasFormer {
  var former: FormerCore.Timing {
    var former = FormerCore.Timing(
      schedule: schedule.former, leeway: leeway.former, isEnabled: isEnabled)
    former.spread = spread.map { FormerCore.Spread(over: $0.over, seed: $0.seed) }
    former.jitter = jitter
    return former
  }
}

extension TaktCore.Leeway: HasFormer {
  var former: FormerCore.Leeway {
    switch self {
    case .duration(let duration): .duration(duration)
    case .percent(let percent): .percent(percent)
    }
  }
}
