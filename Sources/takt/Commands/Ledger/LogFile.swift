import ArgumentParser
import Glibc
import TaktCore
import TaktEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A log in JSON lines.
struct LogFile {
  /// The facts of a line that tell of machines.
  private struct Line: Decodable {
    var event: String
    var machine: String?
    var job: String?
    var seq: Int64?
    var from: String?
    var to: String?
    var cause: String?
    var reason: String?
    var pid: Int64?
    var count: Int?
    var message: String?
  }

  private let path: String
  private let descriptor: Int32

  /// Opens the file, or ends the program; `-` is standard input.
  init(_ path: String) throws {
    self.path = path
    descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      Console.error("takt: \(path): \(String(cString: strerror(errno)))")
      throw ExitCode.configuration
    }
  }

  /// Replays all transitions. A last line that is cut off, as by a crash, is passed over and noted;
  /// any other that is no line of a log ends the program.
  func replay() throws -> (replay: TransitionReplay, notes: [String]) {
    defer { if path != "-" { close(descriptor) } }
    var replay = TransitionReplay()
    var number = 0
    var rest = Data()
    // Bytes of `rest` that have been searched for the end of a line.
    var searched = 0
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        Console.error("takt: \(path): \(String(cString: strerror(errno)))")
        throw ExitCode.configuration
      }
      if count == 0 { break }
      rest.append(contentsOf: chunk[..<count])
      while let end = rest[(rest.startIndex + searched)...].firstIndex(of: UInt8(ascii: "\n")) {
        number += 1
        let line = rest[rest.startIndex..<end]
        rest = rest[(end + 1)...]
        searched = 0
        guard let parsed = Self.parse(line) else {
          Console.error("takt: \(path):\(number): not a line of a JSON log")
          throw ExitCode.invalidData
        }
        add(parsed, into: &replay)
      }
      searched = rest.count
      // The bytes that are read are let go.
      if rest.startIndex > 0 { rest = Data(rest) }
    }
    guard !rest.isEmpty else { return (replay, replay.notes) }
    guard let last = Self.parse(rest) else {
      return (replay, replay.notes + ["has a last line that is cut off"])
    }
    add(last, into: &replay)
    return (replay, replay.notes)
  }

  private static func parse(_ data: Data) -> Line? {
    if let line = try? JSONDecoder().decode(Line.self, from: data) { return line }
    // A daemon that was killed may have left half a line, and the next one appended to it.
    guard
      let start = data.ranges(of: Data("{\"ts\":".utf8)).last?.lowerBound,
      start > data.startIndex
    else { return nil }
    return try? JSONDecoder().decode(Line.self, from: data[start...])
  }

  private func add(_ line: Line, into replay: inout TransitionReplay) {
    // The first line of each daemon, and no other, bears the number of its process.
    if line.pid != nil, line.event == LogEvent.scheduler.rawValue { replay.processBegan() }
    if line.event == "scheduler", line.message == SchedulerCore.stoppedMessage {
      replay.processEnded()
    }
    if line.event == "scheduler", let count = line.count, let reason = line.reason,
      LogWriter.droppedTransitions.contains(reason)
    {
      replay.recordsDropped(count)
    }
    guard let machine = line.machine, let seq = line.seq, let from = line.from, let to = line.to
    else { return }
    let transition = TransitionReplay.Line(
      machine: machine, sequence: seq, from: from, to: to, cause: line.cause ?? "",
      reason: line.reason, job: line.job)
    switch line.event {
    case "timer": replay.addTimerTransition(transition)
    case "run": replay.addRunTransition(transition)
    default: break
    }
  }
}
