import TaktCore

/// Simulations of several seeds, with their progress on a terminal.
enum ForecastProgress {
  /// - Parameter observe: gets the events of the first seed.
  static func run(
    _ snapshot: Snapshot, _ history: RunHistory, _ plan: Forecast.Plan,
    _ observe: (SimulatedEvent) -> Void = { _ in }
  ) -> Forecast {
    var current = 0
    var progress = SimulationProgress(from: plan.start, for: plan.span)
    let forecast = Forecast(of: snapshot, history, plan) { number, event in
      if number == 0 { observe(event) }
      if number != current {
        current = number
        progress.finish()
        progress = SimulationProgress(
          from: plan.start, for: plan.span, number: number + 1, of: plan.seeds)
      }
      return progress.observe(event)
    }
    progress.finish()
    return forecast
  }
}
