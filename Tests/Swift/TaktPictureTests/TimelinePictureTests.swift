import TaktCore
import TaktTime
import Testing

@testable import TaktPicture

@Suite struct TimelinePictureTests {
  static let hourMs: Int64 = 3_600_000
  static let dayMs = 24 * hourMs

  /// Rows of slots over a day, the verdicts in turn.
  static func day(rows: Int, slots: Int) -> Timeline {
    let list = (0..<rows).map { number in
      let marks = (0..<slots).map { place in
        let at = Int64(place) * dayMs / Int64(slots)
        return Timeline.Mark(
          at: at, windowEnd: at + hourMs,
          verdict: Verdict.Kind.allCases[(place * 7 + place / 3 + number) % 5])
      }
      let runs = marks.filter { $0.verdict == .ran }.enumerated().map { place, mark in
        Timeline.Bar(from: mark.at, to: mark.at + hourMs / 2, isFailed: place % 3 == 0)
      }
      return Timeline.Row(
        name: "job-\(number)", slots: marks, runs: runs, summary: "every so often")
    }
    return Timeline(
      title: "A day", from: 0, to: dayMs, rows: list, wakes: list.first?.slots.map(\.at) ?? [])
  }

  static func row(_ name: String, _ verdicts: [Verdict.Kind]) -> Timeline.Row {
    let marks = verdicts.enumerated().map { place, verdict in
      Timeline.Mark(at: Int64(place) * 1_000, windowEnd: Int64(place) * 1_000, verdict: verdict)
    }
    return Timeline.Row(name: name, slots: marks, runs: [], summary: "")
  }

  @Test(arguments: [(1, 1), (8, 24), (30, 2_000), (100, 10), (0, 0)])
  func `the picture is well-formed XML`(rows: Int, slots: Int) {
    let text = TimelinePicture(Self.day(rows: rows, slots: slots)).svg()
    #expect(MarkupCheck(text).fault == nil)
    #expect(text.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\""))
    #expect(text.contains("role=\"img\""))
    #expect(text.contains("<title id=\"takt-title\">"))
    #expect(text.contains("<desc id=\"takt-desc\">"))
    #expect(!text.contains("<script") && !text.contains("@import") && !text.contains("href"))
  }

  @Test func `names may hold any characters`() {
    var timeline = Self.day(rows: 1, slots: 3)
    let evil = "<b>&\"'\u{0}\u{1B}\u{FFFE}\u{7F}\r\n]]></svg>"
    timeline.title = evil
    timeline.zone = Zone(name: evil, initialOffsetSeconds: 0)
    timeline.rows[0].name = evil
    timeline.rows[0].summary = evil
    timeline.events = [Timeline.Event(at: Self.hourMs, label: evil)]
    let text = TimelinePicture(timeline).svg()
    #expect(MarkupCheck(text).fault == nil)
    #expect(text.contains("&lt;b&gt;&amp;&quot;&#39;\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"))
  }

  @Test func `a long name is cut in its label and whole in its tooltip`() {
    var timeline = Self.day(rows: 1, slots: 3)
    let name = String(repeating: "copy-the-archive-", count: 20)
    timeline.rows[0].name = name
    let text = TimelinePicture(timeline).svg()
    #expect(text.contains("<title>\(name)\nevery so often\n3 slots"))
    #expect(text.contains("copy-the-arc"))
    #expect(text.contains("…</text>"))
    #expect(!text.contains("\(name)</text>"))
  }

  @Test func `many slots take few elements and few bytes`() {
    let picture = TimelinePicture(Self.day(rows: 20, slots: 20_000))
    let text = picture.svg()
    #expect(MarkupCheck(text).elements < 20 * 16 + 120)
    // Three elements a column and row would be ten times as much.
    #expect(text.utf8.count < 20 * 38_000)
  }

  @Test func `more than eighty rows are shown as the worst and a sum`() {
    var timeline = Timeline(title: "Many", from: 0, to: 10_000)
    timeline.rows = (0..<200).map { Self.row("plain-\($0)", [.ran]) }
    timeline.rows[150] = Self.row("worst", [.missed, .missed])
    timeline.rows[199] = Self.row("busy", [.ran, .ran, .ran])
    let text = TimelinePicture(timeline).svg()
    for name in ["worst", "busy", "plain-0", "plain-76", "and 121 more jobs"] {
      #expect(text.contains(">\(name)</text>"), "\(name)")
    }
    #expect(!text.contains(">plain-77</text>"))
    #expect(text.contains("ran 201</text>"))
    #expect(text.contains("200 jobs; 203 slots: 201 ran, 2 missed;"))
  }

  @Test func `eighty rows are all shown`() {
    let text = TimelinePicture(Self.day(rows: 80, slots: 2)).svg()
    #expect(text.contains(">job-79</text>"))
    #expect(!text.contains("more jobs"))
  }

  @Test func `the legend counts what lies on the axis`() {
    var timeline = Timeline(title: "Counts", from: 1_000, to: 7_000)
    timeline.rows = [
      Self.row(
        "all",
        [.missed, .ran, .ran, .skipped, .coalesced, .missed, .cancelled, .ran, .missed, .missed])
    ]
    let text = TimelinePicture(timeline).svg()
    for entry in ["ran 3", "skipped 1", "coalesced 1", "missed 1", "cancelled 1"] {
      #expect(text.contains(">\(entry)</text>"), "\(entry)")
    }
  }

  @Test func `wakes and runs are reported with their most`() {
    var timeline = Self.day(rows: 1, slots: 2)
    timeline.wakes = [0, 1, 2, Self.hourMs, 2 * Self.hourMs]
    timeline.rows[0].runs = [
      Timeline.Bar(from: 0, to: 1_000, isFailed: false),
      Timeline.Bar(from: 500, to: 500, isFailed: false),
      Timeline.Bar(from: 1_000, to: 2_000, isFailed: true),
      Timeline.Bar(from: -9, to: Self.dayMs, isFailed: false),
    ]
    let text = TimelinePicture(timeline).svg()
    #expect(text.contains(">at most 3 in "))
    #expect(text.contains(">5 in all</text>"))
    #expect(text.contains(">peak 3</text>"))
  }

  @Test func `events that share a pixel share a line`() {
    var timeline = Self.day(rows: 1, slots: 2)
    timeline.events = (0..<500).map { Timeline.Event(at: Int64($0), label: "fault \($0)") }
    let text = TimelinePicture(timeline).svg()
    #expect(text.contains(">fault 0 +499</text>"))
    #expect(text.contains("and 492 more"))
  }

  @Test(arguments: [
    Timeline(title: "", from: 0, to: 0),
    Timeline(title: "No jobs", from: 0, to: 1_000),
    Timeline(title: "No time", from: 5, to: 5, rows: [row("one", [.ran])]),
    Timeline(title: "Backwards", from: 9, to: 5, rows: [row("one", [.ran])]),
    Timeline(title: "Far", from: .max - 1, to: .max, rows: [row("one", [.ran])]),
  ])
  func `nothing is said to be nothing`(timeline: Timeline) {
    let text = TimelinePicture(timeline).svg()
    #expect(text.contains(">Nothing to show: "))
    #expect(MarkupCheck(text).fault == nil)
    #expect(text.utf8.count < 8_000)
  }

  @Test(arguments: [
    (Int64.min, Int64.max), (.min, 0), (0, .max), (0, 1), (-1, 1), (0, 86_400_000),
  ])
  func `no number is too large`(from: Int64, to: Int64) {
    let instants: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    var marks: [Timeline.Mark] = []
    var runs: [Timeline.Bar] = []
    for (place, at) in instants.enumerated() {
      for end in instants {
        marks.append(
          Timeline.Mark(at: at, windowEnd: end, verdict: Verdict.Kind.allCases[place % 5]))
        runs.append(Timeline.Bar(from: at, to: end, isFailed: place % 2 == 0))
      }
    }
    let offsets = instants.enumerated().map {
      Zone.Transition(start: $1, offsetSeconds: $0 % 2 == 0 ? .min : .max)
    }
    let timeline = Timeline(
      title: "Extremes", from: from, to: to,
      zone: Zone(name: "Nowhere", initialOffsetSeconds: .min, transitions: offsets),
      rows: [Timeline.Row(name: "all", slots: marks, runs: runs, summary: "")], wakes: instants,
      events: instants.map { Timeline.Event(at: $0, label: "event") })
    for width in [Int.min, 0, 1_200, Int.max] {
      #expect(MarkupCheck(TimelinePicture(timeline, width: width).svg()).fault == nil)
    }
  }

  @Test func `a zone that changes all the time does not swell the picture`() {
    var timeline = Self.day(rows: 1, slots: 2)
    let changes = (0..<50_000).map {
      Zone.Transition(start: Int64($0) * 17 / 10, offsetSeconds: $0 % 7 * 3_600)
    }
    timeline.zone = Zone(name: "Restless", initialOffsetSeconds: 0, transitions: changes)
    #expect(TimelinePicture(timeline).svg().utf8.count < 200_000)
  }
}
