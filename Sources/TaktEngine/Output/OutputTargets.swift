import TaktCore
import TaktTime

/// The destinations of one attempt's output, secrets masked, by its job's policy: it is kept,
/// logged and written to a file. The same for commands and built-ins.
struct OutputTargets {
  private let policy: OutputPolicy
  private let log: OutputLog
  private let sink: any OutputSink
  /// Nil for output of no run.
  private let run: RunID?
  private let file: OutputFileUse?
  /// Gets all bytes in place of the log.
  private let passThrough: PassThrough?
  private let attempt: Int
  private let time: any TimeSource
  /// The part that has been taken; later bytes are in `buffer`.
  private var taken = KeptOutput()
  private var buffer: KeptOutputBuffer
  private var isFollowed = false

  init(
    of source: OutputSource, to sink: any OutputSink, files: OutputFiles,
    passThrough: PassThrough? = nil, time: any TimeSource
  ) {
    policy = source.policy
    log = OutputLog(of: source, to: sink, time: time)
    self.sink = sink
    run = source.run
    attempt = source.attempt
    self.time = time
    file = policy.file.map { files.use($0) }
    self.passThrough = passThrough
    buffer = KeptOutputBuffer(keepBytes: policy.keepBytes)
  }

  var kept: KeptOutput { taken.followed(by: buffer.kept, keepBytes: policy.keepBytes) }

  /// The kept output so far. To be called once.
  mutating func takeKept() -> KeptOutput {
    taken = buffer.kept
    buffer = KeptOutputBuffer(keepBytes: policy.keepBytes)
    return taken
  }

  /// The kept output since then.
  var keptSinceTaken: KeptOutput { buffer.kept }

  /// Takes bytes that continue those in `lines`; bytes of built-ins belong to no stream.
  mutating func receive(
    _ bytes: UnsafeRawBufferPointer, _ lines: inout LineSplitter, from stream: StandardStream?,
    _ level: LogLevel = .info
  ) {
    guard !bytes.isEmpty else { return }
    keep(bytes, from: stream)
    if let passThrough, let stream {
      passThrough.receive(bytes, from: stream)
    } else if policy.logging == .always {
      log.receive(bytes, &lines, stream, level)
    }
  }

  /// Takes bytes that the log has in another form, or not at all.
  mutating func keep(_ bytes: UnsafeRawBufferPointer, from stream: StandardStream?) {
    let mark = OutputMark(stream: stream?.mark ?? .other, at: time.wall, attempt: attempt)
    buffer.append(bytes, mark)
    file?.append(bytes)
    if let run { isFollowed = sink.printed(bytes, by: run, mark) }
  }

  var endsLine: Bool { buffer.lastByte.map { $0 == 10 } ?? true }

  /// True if a receiver of every byte may be slower than a command can print.
  var needsTime: Bool {
    isFollowed || passThrough == nil && policy.logging == .always || file?.isBehind == true
  }

  /// Ends the stream of `lines`: an unfinished last line counts as well.
  func finish(_ lines: inout LineSplitter, from stream: StandardStream) {
    if policy.logging == .always { log.finish(&lines, stream) }
  }

  func warn(_ message: String) { log.warn(message) }

  /// To be called once, after all output.
  func close(hasFailed: Bool) {
    if policy.logging == .onFailure, hasFailed, passThrough == nil { log.show(kept) }
    log.close()
    file?.end()
  }
}

extension StandardStream {
  fileprivate var mark: OutputMark.Stream {
    switch self {
    case .stdout: .stdout
    case .stderr: .stderr
    case .both: .other
    }
  }
}
