import Foundation
import TestSupport
import Testing
import TaktTime

/// The zones of this system, for tests.
struct TestZones: ZoneSource {
  private static let folder = "/usr/share/zoneinfo"

  var zoneNames: [String] { [] }

  func zone(named name: String) -> Zone? { try? Self.named(name) }

  static func named(_ name: String) throws -> Zone {
    if name == "UTC" { return .utc }
    let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
    return try #require(Zone(name: name, tzif: Array(data)), "\(name)")
  }

  /// All that the system's list knows, in order.
  static func allNames() -> [String] {
    let table = (try? String(contentsOfFile: "\(folder)/tzdata.zi", encoding: .utf8)) ?? ""
    return table.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count > 2 else { return nil }
      return words[0] == "Z" ? String(words[1]) : words[0] == "L" ? String(words[2]) : nil
    }.sorted()
  }

  /// The seconds since the epoch at which the offset of a zone changes, found from outside.
  static func changes(of zone: Zone, from start: Int64, to end: Int64) -> [Int64] {
    func offset(_ seconds: Int64) -> Int {
      zone.offsetSeconds(at: WallInstant(milliseconds: seconds * 1000))
    }
    var changes: [Int64] = []
    var time = start
    while time < end {
      let next = min(end, time + 7 * 86_400)
      if offset(time) != offset(next) {
        var (low, high) = (time, next)
        while high - low > 1 {
          let middle = (low + high) / 2
          if offset(middle) == offset(time) { low = middle } else { high = middle }
        }
        changes.append(high)
      }
      time = next
    }
    return changes
  }
}

/// Programs that tests compare with.
enum TestProgram {
  struct Output {
    var status: Int32
    var text: String
    var errors: String
  }

  /// Runs a program to its end; nil when it cannot be started.
  static func run(
    _ path: String, _ arguments: [String], environment: [String: String] = [:], input: String = ""
  ) -> Output? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    // Files instead of pipes: neither side can wait for the other.
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let files = ["in", "out", "err"].map { folder.appending(path: $0) }
      try Data(input.utf8).write(to: files[0])
      try Data().write(to: files[1])
      try Data().write(to: files[2])
      process.standardInput = try FileHandle(forReadingFrom: files[0])
      process.standardOutput = try FileHandle(forWritingTo: files[1])
      process.standardError = try FileHandle(forWritingTo: files[2])
      try process.run()
      process.waitUntilExit()
      return Output(
        status: process.terminationStatus,
        text: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self),
        errors: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self))
    } catch {
      return nil
    }
  }

  /// Looks up a program by the path variable; nil when there is none.
  static func find(_ name: String) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { "\($0)/\(name)" }.first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
  }

  /// A Python that has these modules: `TAKT_PYTHON`, else the one of the path, else the system's.
  static func python(with modules: String) -> String? {
    let named = ProcessInfo.processInfo.environment["TAKT_PYTHON"]
    return [named, find("python3"), "/usr/bin/python3"].compactMap(\.self).first {
      run($0, ["-c", "import \(modules)"])?.status == 0
    }
  }

  /// A file of the folder of outside oracles beside the project; `TAKT_ORACLES` names another.
  static func oracle(_ name: String) -> String? {
    let beside = Repository.path("../shared/oracles")
    let folder = ProcessInfo.processInfo.environment["TAKT_ORACLES"] ?? beside
    return try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
  }
}
