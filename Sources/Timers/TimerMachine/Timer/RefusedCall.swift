/// A refused call after which nothing runs, as a debug build reports it on standard error.
enum RefusedCall: String, Sendable {
  case activate = "activate(_:)"
  case activateWithHandler = "activate(_:handler:)"
  case setSchedule = "setSchedule(_:)"
  case start = "start()"
  case resume = "resume()"
  case reschedule = "reschedule(_:)"
  case fireNow = "fireNow()"
  case fireNowAtMostEvery = "fireNow(atMostEvery:)"

  /// The call to use instead; nil if the refusal does no harm, as for a second `resume()`.
  func advice(after reply: TimerReply) -> String? {
    switch (self, reply) {
    case (_, .accepted): nil
    case (_, .noHandler):
      "has no handler. Pass one with activate(_:handler:), or keep it with cancel(keepHandlers: true)"
    case (.activateWithHandler, .refused(.running)):
      "runs already. Call reschedule(_:), setHandler(_:_:), or cancel() first"
    case (.activateWithHandler, .refused(.suspended)):
      "is suspended. Call resume(), or cancel() first"
    case (.start, .refused), (.resume, .refused(.idle)):
      "has no schedule. Start it with activate(_:handler:), or make it with SafeTimer(schedule:)"
    case (.resume, .refused(.cancelled)):
      "is cancelled. Start it with activate(_:handler:), or start() if it was made with a schedule"
    case (.reschedule, .refused), (.fireNow, .refused), (.fireNowAtMostEvery, .refused):
      "is not active. Start it with activate(_:handler:), or setSchedule(_:)"
    case (.activate, .refused), (.activateWithHandler, .refused), (.setSchedule, .refused),
      (.resume, .refused):
      nil
    }
  }
}

extension SafeTimer {
  /// Passes a reply on; a debug build reports one after which nothing runs.
  @inline(__always)
  func noted(_ reply: TimerReply, _ call: @autoclosure () -> RefusedCall) -> TimerReply {
    #if DEBUG
      let call = call()
      if let advice = call.advice(after: reply) {
        RefusalReport.note("\(call.rawValue) did nothing: the timer \"\(name)\" \(advice)")
      }
    #endif
    return reply
  }
}
