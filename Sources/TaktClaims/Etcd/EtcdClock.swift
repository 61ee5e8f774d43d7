import TaktTime

/// An estimate of etcd's clock: its answers give the time in whole seconds, in the header `Date`.
///
/// Each answer tells the server's second between two instants of this machine's boot clock.
/// Together they narrow the distance of the clocks: an answer requested when the second was about
/// to change halves the uncertainty.
struct EtcdClock {
  /// Bounds on how far the server's clock is ahead of the boot clock, in nanoseconds.
  private struct Bounds {
    var low: Int64
    var high: Int64
    var at: Int64

    /// The most that two clocks drift apart.
    private static let drift: Int64 = 10_000

    var width: Int64 { high &- low }

    func widened(to now: Int64) -> Bounds {
      let drift = max(0, now &- at) / Self.drift
      return Bounds(low: low &- drift, high: high &+ drift, at: now)
    }
  }

  private static let second: Int64 = 1_000_000_000
  /// The uncertainty at which no more questions are asked.
  private static let enough: Int64 = 60_000_000
  /// The most questions in a row: an answer that takes longer adds too little.
  private static let askedMax = 12

  private var bounds: Bounds?
  private var askedCount = 0

  /// - Parameters:
  ///   - seconds: the server's time, since 1970.
  ///   - sent: the boot clock before the request, and `received`, after its answer.
  mutating func hear(seconds: Int64, sent: Int64, received: Int64) {
    let wall = WallInstant(milliseconds: seconds &* 1000).nanoseconds
    let new = Bounds(low: wall &- received, high: wall &+ Self.second &- sent, at: received)
    guard let old = bounds?.widened(to: received) else {
      bounds = new
      return
    }
    let both = Bounds(low: max(old.low, new.low), high: min(old.high, new.high), at: received)
    // Somebody has set the server's clock.
    if both.low > both.high { askedCount = 0 }
    bounds = both.low > both.high ? new : both
  }

  /// The latest possible time; nil where nothing is known.
  func latest(at boot: Int64) -> WallInstant? {
    bounds.map { WallInstant(nanoseconds: boot &+ $0.widened(to: boot).high) }
  }

  func likeliest(at boot: Int64) -> WallInstant? {
    bounds.map { WallInstant(nanoseconds: boot &+ $0.low &+ $0.width / 2) }
  }

  func unknown(at boot: Int64) -> Duration? {
    bounds.map { .nanoseconds($0.widened(to: boot).width) }
  }

  /// The boot clock's time to ask the server next, if its time is not known well enough.
  mutating func nextQuestion(after boot: Int64) -> Int64? {
    guard let bounds = bounds?.widened(to: boot) else { return nil }
    let width = bounds.width
    if width < Self.enough { askedCount = 0 }
    guard width >= 2 * Self.enough || askedCount > 0 && width >= Self.enough else { return nil }
    guard askedCount < Self.askedMax else {
      // The round trip stays uncertain; the clocks have drifted further since.
      if width > Self.second { askedCount = 0 }
      return nil
    }
    let wall = boot &+ bounds.low &+ width / 2
    return boot &+ (Self.second - wall.modulo(Self.second))
  }

  mutating func asked() { askedCount += 1 }
}

extension Int64 {
  fileprivate func modulo(_ divisor: Int64) -> Int64 {
    let rest = self % divisor
    return rest < 0 ? rest + divisor : rest
  }
}

/// `Mon, 23 Nov 2026 17:51:50 GMT`, the one form that servers write (RFC 9110).
enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Seconds since 1970; nil for a text of another form.
  static func seconds(_ text: String) -> Int64? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let day = Int64(words[1]),
      let month = months.firstIndex(of: String(words[2])), let year = Int64(words[3]),
      (1970...9999).contains(year), (1...31).contains(day)
    else { return nil }
    let time = words[4].split(separator: ":").compactMap { Int64($0) }
    guard time.count == 3, time.allSatisfy({ (0...60).contains($0) }) else { return nil }
    return days(year, Int64(month + 1), day) * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
  }

  /// Days since 1970 in the Gregorian calendar; here its years start in March.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month > 2 ? year : year - 1
    let monthFromMarch = (month + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }
}
