import TaktCore
import TaktTime

/// Where the output of one attempt goes, secrets masked, as its job's policy says: it is kept, logged
/// and written to a file. The same for commands and for built-ins.
struct OutputTargets {
  private let policy: OutputPolicy
  private let log: OutputLog
  private let sink: any OutputSink
  /// Nil for what is no run's.
  private let run: RunID?
  private let file: OutputFileUse?
  /// Gets all bytes in place of the log.
  private let passThrough: PassThrough?
  private let attempt: Int
  private let time: any TimeSource
  /// What has been taken; what has come since is in `buffer`.
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

  /// What is kept so far. To be called once.
  mutating func takeKept() -> KeptOutput {
    taken = buffer.kept
    buffer = KeptOutputBuffer(keepBytes: policy.keepBytes)
    return taken
  }

  /// What is kept of what has come since then.
  var keptSinceTaken: KeptOutput { buffer.kept }

  /// Takes bytes that continue what `lines` has; those of built-ins belong to no stream.
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

  /// Whether what is kept ends with a whole line.
  var endsLine: Bool { buffer.lastByte.map { $0 == 10 } ?? true }

  /// Whether somebody takes every byte who may not be as fast as a command can print.
  var needsTime: Bool {
    isFollowed || passThrough == nil && policy.logging == .always || file?.isBehind == true
  }

  /// Nothing more comes after what `lines` has: an unfinished last line is one as well.
  func finish(_ lines: inout LineSplitter, from stream: StandardStream) {
    if policy.logging == .always { log.finish(&lines, stream) }
  }

  func warn(_ message: String) { log.warn(message) }

  /// Nothing comes any more. To be called once.
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
