import TaktTime

/// A regular division of local time: the unit of ticks, day boundaries and headings.
enum PictureStep: Equatable, Sendable {
  /// A count of milliseconds that divides a day.
  case milliseconds(Int64)
  /// A count of days; whole weeks start on Mondays.
  case days(Int64)
  /// A count of months, from January of the year 0.
  case months(Int64)

  private static let dayMs: Int64 = 86_400_000

  static let day = PictureStep.days(1)
  static let month = PictureStep.months(1)
  static let year = PictureStep.months(12)

  /// The steps of the axis, from the finest to the coarsest.
  static let ladder: [PictureStep] = {
    let milliseconds: [Int64] = [1, 2, 5, 10, 20, 50, 100, 200, 500]
    let seconds: [Int64] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800]
    let hours: [Int64] = [1, 2, 3, 6, 12]
    let years: [Int64] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000]
    return milliseconds.map { .milliseconds($0) }
      + seconds.map { .milliseconds($0 * 1_000) }
      + hours.map { .milliseconds($0 * 3_600_000) }
      + [1, 7, 14].map { .days($0) } + [1, 3, 6].map { .months($0) }
      + years.map { .months($0 * 12) }
  }()

  /// The finest step whose labels stand clear of each other.
  static func finest(for scale: PictureScale) -> PictureStep {
    let fitting = ladder.first {
      Double($0.approximateMs) / scale.msPerColumn >= $0.labelSpacing
    }
    return fitting ?? .months(60_000)
  }

  var approximateMs: Int64 {
    switch self {
    case .milliseconds(let count): count
    case .days(let count): count * Self.dayMs
    case .months(let count): count * 2_629_746_000
    }
  }

  /// The pixels from one label to the next at which they are still apart.
  var labelSpacing: Double {
    switch self {
    case .milliseconds(let count):
      if count < 1_000 { return 92 }
      return count < 60_000 ? 66 : 46
    case .days(let count): return count == 1 ? 26 : 50
    case .months(let count): return count < 12 ? 34 : 44
    }
  }

  /// The coarser step that says what the labels of this one leave out; nil when they leave nothing.
  var heading: PictureStep? {
    switch self {
    case .milliseconds: return .day
    case .days: return .month
    case .months(let count): return count < 12 ? .year : nil
    }
  }

  func index(ofLocal localMs: Int64) -> Int64 {
    switch self {
    case .milliseconds(let count):
      return localMs.flooredQuotient(by: count)
    case .days(let count):
      return (localMs.flooredQuotient(by: Self.dayMs) + mondayShift).flooredQuotient(by: count)
    case .months(let count):
      let date = CivilTime(localMs: localMs)
      return Int64(date.year * 12 + date.month - 1).flooredQuotient(by: count)
    }
  }

  func start(ofIndex index: Int64) -> Int64 {
    switch self {
    case .milliseconds(let count): return index * count
    case .days(let count): return (index * count - mondayShift) * Self.dayMs
    case .months(let count):
      let months = index * count
      let year = Int(months.flooredQuotient(by: 12))
      let month = Int(months.flooredRemainder(by: 12)) + 1
      return CivilTime.daysSinceEpoch(year: year, month: month, day: 1) * Self.dayMs
    }
  }

  /// The label of a tick that has `room` pixels to the next.
  func label(_ date: CivilTime, room: Double) -> String {
    switch self {
    case .milliseconds(let count):
      if count < 1_000 { return date.timeOfDay }
      return count < 60_000 ? date.secondText : date.minuteText
    case .days(let count):
      if count > 1 { return date.dayAndMonth }
      return room >= 54 ? date.weekdayAndDay : String(date.day)
    case .months(let count):
      return count < 12 ? date.monthText : String(date.year)
    }
  }

  /// The names of a range of this step, from the longest form to the shortest.
  func headings(_ date: CivilTime) -> [String] {
    switch self {
    case .milliseconds: return []
    case .days: return [date.dateLongText, date.dateText, date.dayAndMonth]
    case .months(let count):
      if count >= 12 { return [String(date.year)] }
      return ["\(date.monthName) \(date.year)", "\(date.monthText) \(date.year)"]
    }
  }

  // The first of January 1970 was a Thursday.
  private var mondayShift: Int64 {
    switch self {
    case .days(let count): count % 7 == 0 ? 3 : 0
    case .milliseconds, .months: 0
    }
  }
}
