import Glibc
import TaktCore
import TaktImport
import TaktTime

/// A program that computes the times of an expression independently.
enum TimeOracle {
  /// `systemd-analyze calendar`
  case systemd
  /// croniter for Python
  case croniter

  var name: String {
    switch self {
    case .systemd: "systemd-analyze"
    case .croniter: "croniter"
    }
  }

  /// Nil if none is installed that reads these times.
  static func find(for times: [SourceTime]) -> TimeOracle? {
    if times.allSatisfy({ if case .calendar = $0 { true } else { false } }) {
      return hasSystemd ? .systemd : nil
    }
    return times.count == 1 && hasCroniter ? .croniter : nil
  }

  private static let hasSystemd = output(of: ["systemd-analyze", "--version"]) != nil
  private static let hasCroniter =
    output(of: ["python3", "-c", "\(ownPath)\nimport croniter"]) != nil

  /// Seconds since the epoch, ascending; nil if the program does not answer.
  func instants(of times: [SourceTime], after start: Int64, count: Int) -> [Int64]? {
    var all: Set<Int64> = []
    for time in times {
      guard let found = instants(of: time, after: start, count: count) else { return nil }
      all.formUnion(found)
    }
    return Array(all.sorted().prefix(count))
  }

  private func instants(of time: SourceTime, after start: Int64, count: Int) -> [Int64]? {
    switch time {
    case .calendar(let text):
      return Self.output(
        of: [
          "env", "TZ=UTC", "LC_ALL=C", "SYSTEMD_COLORS=0", "systemd-analyze", "calendar",
          "--iterations=\(count)", "--base-time=@\(start)", "--", text,
        ]
      )?.split(separator: "\n").compactMap(Self.instant)
    case .cron(let text, let rule):
      return Self.output(
        of: ["python3", "-c", Self.script, text, "\(start)", "\(count)", rule.rawValue])?
        .split(separator: "\n").compactMap { Int64($0) }
    }
  }

  /// Without the current folder: any user may have left a module there.
  private static let ownPath = "import sys; sys.path[:] = [path for path in sys.path if path]"

  /// Classic cron's rule for days: both fields must match if one of them starts with a star.
  private static let script = """
    \(ownPath)
    from croniter import croniter
    from datetime import datetime, timezone
    text, start, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    fields = text.split()
    stars = len(fields) > 4 and (fields[2].startswith("*") or fields[4].startswith("*"))
    either = {"any": True, "all": False}.get(sys.argv[4], not stars)
    times = croniter(text, datetime.fromtimestamp(start, timezone.utc), day_or=either)
    for _ in range(count):
        print(int(times.get_next(datetime).timestamp()))
    """

  /// `Next elapse: Thu 2026-11-26 00:00:00 UTC`, `Iter. #2: Fri 2026-11-27 00:00:00 UTC`
  private static func instant(in line: Substring) -> Int64? {
    guard line.contains("Next elapse:") || line.contains("Iter") && line.contains("#") else {
      return nil
    }
    let words = line.split(separator: " ")
    guard words.count >= 4, words.last == "UTC" else { return nil }
    let date = words[words.count - 3].split(separator: "-").compactMap { Int($0) }
    let time = words[words.count - 2].split(separator: ":").compactMap {
      Int($0.prefix { $0 != "." })
    }
    guard date.count == 3, time.count == 3 else { return nil }
    let days = CivilTime.daysSinceEpoch(year: date[0], month: date[1], day: date[2])
    return days * 86_400 + Int64(time[0] * 3600 + time[1] * 60 + time[2])
  }

  /// The output of a program; nil if it is missing, fails, or takes longer than a minute.
  static func output(of words: [String]) -> String? {
    let command = (["timeout", "60"] + words).map(\.singleQuoted).joined(separator: " ")
    guard let stream = popen("\(command) 2>/dev/null </dev/null", "r") else { return nil }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < 4 << 20 {
      let count = fread(&chunk, 1, chunk.count, stream)
      if count == 0 { break }
      bytes += chunk[..<count]
    }
    return pclose(stream) == 0 ? String(decoding: bytes, as: UTF8.self) : nil
  }
}
