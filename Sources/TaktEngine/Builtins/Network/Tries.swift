import TaktCore
import TaktTime
import TaktTransfer

/// The tries of one request, with waits between them: each twice as long as the previous one, or as
/// long as the server asks for.
struct Tries {
  /// The longest wait that a server may ask for; with a longer one it is given up.
  static let askedMax = Duration.seconds(300)

  static let reason = BuiltinReason(
    "retry_after(N)",
    "the server asks for a wait of N seconds, which is longer than 5 minutes, or than the run's `timeout` allows"
  )

  let countMax: Int
  let backoff: Duration
  let backoffMax: Duration

  enum Outcome<Value> {
    case over(Value)
    /// Another try may help, after the wait that the server asks for.
    case again(Value, asked: Duration?)
  }

  enum Failure: Error {
    case cancelled
    case waitTooLong(Duration)

    var reason: String {
      switch self {
      case .cancelled: LongAttempt.cancelled
      case .waitTooLong(let asked): "retry_after(\(asked.components.seconds))"
      }
    }
  }

  /// Returns the result of the last try. Blocks the thread.
  func run<Value>(_ call: BuiltinCall, _ attempt: () -> Outcome<Value>) throws(Failure) -> Value {
    var wait = min(backoff, backoffMax)
    var number = 1
    while true {
      switch attempt() {
      case .over(let value): return value
      case .again(let value, let asked):
        guard number < countMax else { return value }
        try check(asked, call)
        guard call.cancellation.sleep(max(wait, asked ?? .zero)) else { throw .cancelled }
      }
      wait = min(wait * 2, backoffMax)
      number += 1
    }
  }

  private func check(_ asked: Duration?, _ call: BuiltinCall) throws(Failure) {
    guard let asked else { return }
    let left = call.request.deadline.map { max($0 - call.time.monotonic, .zero) }
    let bound: String
    if asked > Self.askedMax {
      bound = DurationText.format(Self.askedMax)
    } else if let left, asked >= left {
      bound = "the \(DurationText.brief(left)) that the run's timeout leaves"
    } else {
      return
    }
    call.log(
      "the server asks for a wait of \(DurationText.format(asked)), which is longer than \(bound)",
      .warning)
    throw .waitTooLong(asked)
  }
}

extension HTTPReply {
  /// The wait that a busy server asks for before another try.
  var askedWait: Duration? { [429, 503].contains(status) ? retryAfter : nil }
}
