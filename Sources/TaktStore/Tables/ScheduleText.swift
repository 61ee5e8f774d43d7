/// Writes a schedule as the text that the ledger holds, as `JSONEncoder` does with sorted keys: the
/// same schedule has the same text in every version.
///
/// By hand: an encoder takes fifty times as long, which 100,000 new jobs would wait for.
struct ScheduleText {
  private(set) var bytes: [UInt8] = []
  /// True after a member or an element at this level.
  private var needsComma = false

  init(_ schedule: StoredSchedule) {
    bytes.reserveCapacity(64)
    object { $0.add(schedule) }
  }

  private mutating func add(_ schedule: StoredSchedule) {
    members("after", schedule.after) { $0.add($1) }
    if let all = schedule.afterAll {
      key("afterAll")
      object {
        $0.members("jobs", all.jobs) { $0.add($1) }
        $0.member("within", all.within)
      }
    }
    members("at", schedule.at) { $0.add($1) }
    members("calendars", schedule.calendars) { $0.add($1) }
    members("delays", schedule.delays) { text, delay in
      text.object {
        $0.member("after", delay.after)
        $0.member("on", delay.on)
      }
    }
    member("every", schedule.every)
    members("except", schedule.except) { $0.add($1) }
    if let excluded = schedule.excluded {
      key("excluded")
      add(excluded)
    }
    member("first", schedule.first)
    member("from", schedule.from)
    member("limit", schedule.limit.map { Int64($0) })
    member("notBefore", schedule.notBefore)
    members("on", schedule.on) { $0.add($1) }
    member("phase", schedule.phase)
    members("rules", schedule.rules) { $0.add($1) }
    member("until", schedule.until)
    members("watch", schedule.watch) { $0.add($1) }
  }

  private mutating func add(_ parent: StoredSchedule.Parent) {
    object {
      $0.member("job", parent.job)
      $0.member("on", parent.on)
    }
  }

  private mutating func add(_ rule: StoredSchedule.Rule) {
    object {
      $0.member("calendar", rule.calendar)
      $0.member("cron", rule.cron)
      $0.member("days", rule.days)
      $0.member("gap", rule.gap)
      $0.member("grid", rule.grid)
      $0.members("holidays", rule.holidays) { $0.add(Int64($1)) }
      $0.member("moved", rule.moved)
      $0.member("nth", rule.nth)
      $0.member("overlap", rule.overlap)
      $0.member("rrule", rule.rrule)
      $0.member("working", rule.working)
      $0.member("zone", rule.zone)
    }
  }

  private mutating func add(_ watch: StoredSchedule.Watch) {
    object {
      $0.member("debounce", watch.debounce)
      $0.member("path", watch.path)
      $0.members("patterns", watch.patterns) { $0.add($1) }
      $0.member("recursive", watch.recursive)
    }
  }

  mutating func add(_ exception: StoredSchedule.Except) {
    object {
      $0.member("calendar", exception.calendar)
      $0.member("days", exception.days)
      $0.member("zone", exception.zone)
    }
  }

  mutating func object(_ content: (inout Self) -> Void) {
    group("{", "}", content)
  }

  private mutating func group(
    _ begin: Unicode.Scalar, _ end: Unicode.Scalar, _ content: (inout Self) -> Void
  ) {
    bytes.append(UInt8(ascii: begin))
    needsComma = false
    content(&self)
    bytes.append(UInt8(ascii: end))
    needsComma = true
  }

  mutating func members<Element>(
    _ name: StaticString, _ elements: [Element]?, _ add: (inout Self, Element) -> Void
  ) {
    guard let elements else { return }
    key(name)
    group("[", "]") { text in
      for element in elements {
        text.separate()
        add(&text, element)
      }
    }
  }

  mutating func member(_ name: StaticString, _ isTrue: Bool?) {
    guard let isTrue else { return }
    key(name)
    bytes += (isTrue ? "true" : "false").utf8
  }

  mutating func member(_ name: StaticString, _ number: Int64?) {
    guard let number else { return }
    key(name)
    add(number)
  }

  private mutating func member(_ name: StaticString, _ number: Int?) {
    member(name, number.map { Int64($0) })
  }

  mutating func member(_ name: StaticString, _ text: String?) {
    guard let text else { return }
    key(name)
    add(text)
  }

  private mutating func key(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { bytes += $0 }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  mutating func add(_ number: Int64) { bytes += String(number).utf8 }

  private mutating func add(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { content in
      if content.allSatisfy(Self.isPlain) {
        bytes += content
      } else {
        for byte in content { addEscaped(byte) }
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 32 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
      && byte != UInt8(ascii: "/")
  }

  private mutating func addEscaped(_ byte: UInt8) {
    switch byte {
    case _ where Self.isPlain(byte): bytes.append(byte)
    case 8: bytes += #"\b"#.utf8
    case 9: bytes += #"\t"#.utf8
    case 10: bytes += #"\n"#.utf8
    case 12: bytes += #"\f"#.utf8
    case 13: bytes += #"\r"#.utf8
    case 0..<32:
      bytes += (byte < 16 ? #"\u000"# : #"\u00"#).utf8
      bytes += String(byte, radix: 16).utf8
    default:
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(byte)
    }
  }
}
