import TaktAPI
import TaktControl
import TaktCore

/// The output of a run, in parts of a size for agents.
struct MCPLogs {
  static let bytesStandard = 20_000
  /// Each part has at least one complete character.
  static let bytesRange = 100...1_000_000
  static let waitSecondsMax = 60
  /// The interval at which a wait checks for cancellation.
  private static let waitStepSeconds = 2

  let given: MCPArguments.Logs
  let context: MCPContext

  func result() throws -> MCPResult {
    let count = try MCPArguments.number(
      "max_bytes", given.bytesMax, Self.bytesRange, default: Self.bytesStandard)
    let wait = try MCPArguments.number(
      "wait_seconds", given.waitSeconds, 0...Self.waitSecondsMax, default: 0)
    if let offset = given.offset, offset < 0 { throw MCPFailure("'offset' takes a number from 0") }
    let number = try runNumber()
    let connection = try context.control.connect()
    let run = try end(of: number, within: wait, connection)
    let target = context.target(
      "/api/v1/runs/\(number)/output", [("attempt", given.attempt.map { String($0) })])
    let output = try connection.output(at: target)
    let part = try part(of: output.bytes, count)
    return try show(run, output, part)
  }

  /// The number of the requested run: for a job the last one that ended, or else the last one.
  private func runNumber() throws -> UInt64 {
    let job: String
    switch (given.run, given.job) {
    case (let run?, nil):
      if given.failed == true { throw MCPFailure("'failed' goes with 'job', not with 'run'") }
      return run
    case (nil, let name?): job = try MCPArguments.job(name)
    case (nil, nil), (_?, _?): throw MCPFailure("name either a 'job' or a 'run'")
    }
    let target = context.target(
      "/api/v1/runs", [("job", job), ("limit", "20"), ("failed", given.failed.map(String.init))])
    let connection = try context.control.connect()
    let runs = try connection.ask(API.RunPage.self, "GET", target).value.runs
    if let run = runs.first(where: { $0.state == "ended" && $0.began != nil }) ?? runs.first {
      return run.run
    }
    try context.requireKnown(job, connection)
    throw MCPFailure("there is no such run of '\(job)'")
  }

  private func end(
    of run: UInt64, within seconds: Int, _ connection: ControlArgument.Connection
  ) throws -> (value: API.Run, bytes: [UInt8]) {
    var left = seconds
    while true {
      let step = min(left, Self.waitStepSeconds)
      let answer = try connection.ask(
        API.Run.self, "GET", "/api/v1/runs/\(run)?wait=\(step)", waitSeconds: Int64(step + 5))
      left -= step
      if answer.value.state == "ended" || left == 0 || context.cancellation.isCancelled {
        return answer
      }
    }
  }

  /// The range of bytes to show: complete characters.
  private func part(of bytes: [UInt8], _ count: Int) throws(MCPFailure) -> Range<Int> {
    if let offset = given.offset, offset > bytes.count {
      throw MCPFailure("'offset' is behind the end; the output has \(bytes.count) bytes")
    }
    var start = given.offset ?? max(0, bytes.count - count)
    // With an offset parts must meet: the rest of a character is the start of the next one.
    if given.offset == nil { start += bytes[start...].continuationBytes }
    var end = min(bytes.count, start + count)
    if end < bytes.count { end -= bytes[start..<end].cutCharacterBytes }
    return start..<end
  }

  private func show(
    _ run: (value: API.Run, bytes: [UInt8]), _ output: ControlClient.Answer, _ part: Range<Int>
  ) throws -> MCPResult {
    let (bytes, value) = (output.bytes, run.value)
    let text = String(decoding: bytes[part], as: UTF8.self)
    var json = JSONWriter()
    json.object { json in
      json.key("run")
      json.value(raw: run.bytes)
      json.member("offset", part.lowerBound)
      json.member("bytes", part.count)
      json.member("total_bytes", bytes.count)
      json.member("dropped_bytes", output.droppedBytes)
      json.member("text", text)
    }
    if part.count < bytes.count {
      let other =
        part.upperBound < bytes.count ? part.upperBound : max(0, part.lowerBound - part.count)
      Console.error(
        "Bytes \(part.lowerBound) to \(part.upperBound) of \(bytes.count) are shown. For more, call "
          + "'logs' with run \(value.run) and offset \(other), or with a larger max_bytes.")
    }
    if output.droppedBytes > 0 {
      Console.error(
        "takt did not keep \(output.droppedBytes) bytes; 'output.keep' of the job sets how much it keeps."
      )
    }
    return try MCPResult(
      json.bytes, text: "run \(value.run) of \(value.job): \(value.endWords)\n\(text)")
  }
}
