import Glibc
import TaktCore
import TaktSystem
import TaktTime

/// Handles the output of one attempt: it is counted, matched, masked, kept, logged and written to a
/// file.
///
/// `@unchecked Sendable`: its maker passes it to the reactor's thread at once, and from then on all
/// mutable state is touched only there. Others only hold it, to tell one attempt from another.
final class AttemptOutput: @unchecked Sendable {
  private struct Stream {
    var bytes = 0
    /// Nil if terminal sequences are kept.
    var stripper: TerminalStripper?
    var masker: SecretMasker?
    /// The start of a character that is not complete yet: no other bytes may come in between.
    var rest: [UInt8] = []
    var lines: LineSplitter
  }

  private let rule: SuccessRule
  private var targets: OutputTargets
  private var streams: [Stream]
  private var automaton: SecretAutomaton?
  private var ownLines: LineSplitter
  private let stripsAll: Bool
  private var masked: [UInt8] = []
  private var pattern: FailurePattern?
  private var patternLines = LineSplitter(isForPeople: false)
  private var matchesPattern = false
  private var wasStopped = false
  private var isOverdue = false
  private var hasFailed = false

  init(
    of source: OutputSource, secrets: [[UInt8]], to sink: any OutputSink, files: OutputFiles,
    passThrough: PassThrough? = nil, time: any TimeSource
  ) {
    rule = source.success
    targets = OutputTargets(
      of: source, to: sink, files: files, passThrough: passThrough, time: time)
    automaton = SecretAutomaton(withTrimmed: secrets)
    let stripsAll = source.policy.colours == .stripAll
    self.stripsAll = stripsAll
    let lines = LineSplitter(for: source.policy.format)
    ownLines = lines
    streams = StandardStream.allCases.map { [automaton] _ in
      Stream(
        stripper: stripsAll ? TerminalStripper() : nil,
        masker: automaton.map { SecretMasker($0) }, lines: lines)
    }
    if let text = rule.failurePattern {
      pattern = FailurePattern(text)
      if pattern == nil {
        targets.warn(
          "fails_when.stdout is not a usable regular expression; it matches nothing")
      }
    }
  }

  func receive(_ bytes: UnsafeRawBufferPointer, from stream: StandardStream) {
    streams[stream.index].bytes += bytes.count
    if stream == .stdout, pattern != nil { search(bytes) }
    if let stripper = streams[stream.index].stripper,
      stripper.isWithinSequence || bytes.firstIndex(ofByte: 0x1B) != nil
        || bytes.firstIndex(ofByte: 0xC2) != nil
    {
      // Before secrets are masked: a colour may be within one.
      let stripped = streams[stream.index].stripper?.strip(bytes) ?? []
      return stripped.withUnsafeBytes { mask($0, from: stream) }
    }
    mask(bytes, from: stream)
  }

  private func mask(_ bytes: UnsafeRawBufferPointer, from stream: StandardStream) {
    guard streams[stream.index].masker != nil else { return pass(bytes, from: stream) }
    masked.removeAll(keepingCapacity: true)
    streams[stream.index].masker?.mask(bytes, into: &masked)
    masked.withUnsafeBytes { pass($0, from: stream) }
  }

  /// Masks these values from now on, in place of earlier ones.
  func hide(_ secrets: [[UInt8]]) {
    automaton = SecretAutomaton(withTrimmed: secrets)
    for stream in StandardStream.allCases {
      masked.removeAll(keepingCapacity: true)
      streams[stream.index].masker?.finish(into: &masked)
      masked.withUnsafeBytes { pass($0, from: stream) }
      streams[stream.index].masker = automaton.map { SecretMasker($0) }
    }
  }

  /// Takes a line written on behalf of the child, or several separated by line ends.
  func line(_ text: String, _ level: LogLevel) {
    var bytes = Array(text.utf8)
    if stripsAll { bytes = bytes.withoutTerminalSequences }
    if let automaton { bytes = automaton.masked(bytes) }
    line(masked: bytes, level)
  }

  /// Takes such a line unchanged: it contains no secret.
  func line(masked line: [UInt8], _ level: LogLevel) {
    var bytes = line
    if bytes.last != 10 { bytes.append(10) }
    bytes.withUnsafeBytes { targets.receive($0, &ownLines, from: nil, level) }
  }

  var keptHead: [UInt8] { targets.kept.head }

  /// True if the command must not be read faster than its output can be used.
  var needsTime: Bool { targets.needsTime }

  /// Explains in the output why nothing was started; the log has the reason already. Returns the
  /// kept output.
  func neverStarted(_ sentence: String) -> OutputFacts {
    explain(sentence)
    return OutputFacts(kept: targets.takeKept())
  }

  /// Keeps a sentence on the end of the attempt that the log has already.
  func explain(_ sentence: String) {
    let start: [UInt8] = targets.endsLine ? [] : [10]
    (start + Array(sentence.utf8) + [10]).withUnsafeBytes { targets.keep($0, from: nil) }
  }

  /// Ends a stream: an unfinished last line counts as well.
  func end(_ stream: StandardStream) {
    if stream == .stdout { endSearch() }
    if let rest = streams[stream.index].stripper?.finish(), !rest.isEmpty {
      rest.withUnsafeBytes { mask($0, from: stream) }
    }
    masked.removeAll(keepingCapacity: true)
    streams[stream.index].masker?.finish(into: &masked)
    masked.withUnsafeBytes { pass($0, from: stream) }
    let rest = streams[stream.index].rest
    streams[stream.index].rest = []
    rest.withUnsafeBytes { targets.receive($0, &streams[stream.index].lines, from: stream) }
    targets.finish(&streams[stream.index].lines, from: stream)
  }

  /// Called when takt has stopped the attempt before its end.
  func stopped() {
    wasStopped = true
  }

  /// Called when the action exceeds its time: it has failed, however it ends.
  func ranOut() {
    isOverdue = true
  }

  /// Completes the report of an ended attempt with its output, and decides if it has failed. Later
  /// output of descendants is kept as well, but no longer judged.
  func complete(_ report: AttemptReport) -> AttemptReport {
    endSearch()
    var report = report
    if isOverdue { report.result = .failed("timeout") }
    report.output = OutputFacts(
      stdoutBytes: streams[StandardStream.stdout.index].bytes
        + streams[StandardStream.both.index].bytes,
      stderrBytes: streams[StandardStream.stderr.index].bytes,
      matchesFailurePattern: matchesPattern, kept: targets.takeKept())
    hasFailed = wasStopped || report.runEnd(by: rule).outcome != .succeeded
    return report
  }

  /// The kept part of the output since the end.
  var keptSinceEnd: KeptOutput { targets.keptSinceTaken }

  /// Called after all output, when the attempt has been judged.
  func close() {
    targets.close(hasFailed: hasFailed)
  }

  private func search(_ bytes: UnsafeRawBufferPointer) {
    _ = patternLines.feed(bytes) { isUnmatched($0) }
    if matchesPattern { pattern = nil }
  }

  private func endSearch() {
    _ = patternLines.finish { isUnmatched($0) }
    pattern = nil
  }

  private func isUnmatched(_ line: UnsafeRawBufferPointer) -> Bool {
    if !matchesPattern { matchesPattern = pattern?.matches(line) ?? false }
    return !matchesPattern
  }

  /// Passes on complete characters only.
  private func pass(_ bytes: UnsafeRawBufferPointer, from stream: StandardStream) {
    let index = stream.index
    guard let last = bytes.last else { return }
    if last < 0x80, streams[index].rest.isEmpty {
      return targets.receive(bytes, &streams[index].lines, from: stream)
    }
    let all = streams[index].rest + bytes
    let cut = all.cutCharacterBytes
    streams[index].rest = Array(all.suffix(cut))
    all.withUnsafeBytes {
      targets.receive(
        UnsafeRawBufferPointer(rebasing: $0.dropLast(cut)), &streams[index].lines, from: stream)
    }
  }
}

extension OutputFacts {
  /// The output of an action that was not started: the reason.
  init(ofNothing sentence: String) {
    self.init(kept: KeptOutput(head: Array(sentence.utf8) + [10]))
  }
}

extension StandardStream {
  fileprivate var index: Int {
    switch self {
    case .stdout: 0
    case .stderr: 1
    case .both: 2
    }
  }
}

/// A POSIX extended regular expression for lines of standard output.
final class FailurePattern {
  /// Owned by this object, from `init` to `deinit`.
  private let compiled: UnsafeMutablePointer<regex_t>

  /// Nil if the C library refuses the expression, has no memory for it, or would see only the part
  /// before a NUL.
  convenience init?(_ text: String) {
    guard !text.utf8.contains(0) else { return nil }
    let compiled = UnsafeMutablePointer<regex_t>.allocate(capacity: 1)
    compiled.initialize(to: regex_t())
    // Anchored at the start of a line, and with any bytes in front, so that the library scans it
    // once. Otherwise it would start again at each byte, which with repetitions takes a second for
    // a line of 8 KB.
    let repeats = text.utf8.contains { "*+{".utf8.contains($0) }
    let whole = repeats && Self.isClosed(text) ? "^(a|[^a])*(\(text))" : text
    guard
      regcomp(compiled, whole, REG_EXTENDED | REG_NOSUB) == 0
        || regcomp(compiled, text, REG_EXTENDED | REG_NOSUB) == 0
    else {
      compiled.deallocate()
      return nil
    }
    self.init(compiled)
  }

  /// True if each `)` closes a group, so that the expression means the same within one. The library
  /// takes one that closes none as a literal.
  private static func isClosed(_ text: String) -> Bool {
    var rest = Array(text.utf8)[...]
    var depth = 0
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\\"): rest = rest.dropFirst()
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"):
        depth -= 1
        if depth < 0 { return false }
      case UInt8(ascii: "["): skipBrackets(&rest)
      default: break
      }
    }
    return depth == 0
  }

  /// Skips to the end of a bracket expression: a `]` in first place does not end it, nor one of a
  /// class such as `[:alpha:]`.
  private static func skipBrackets(_ rest: inout ArraySlice<UInt8>) {
    if rest.first == UInt8(ascii: "^") { rest.removeFirst() }
    if rest.first == UInt8(ascii: "]") { rest.removeFirst() }
    while let byte = rest.popFirst(), byte != UInt8(ascii: "]") {
      guard byte == UInt8(ascii: "["), let sign = rest.first, ":.=".utf8.contains(sign) else {
        continue
      }
      rest.removeFirst()
      while !rest.isEmpty, !rest.starts(with: [sign, UInt8(ascii: "]")]) { rest.removeFirst() }
      rest = rest.dropFirst(2)
    }
  }

  private init(_ compiled: UnsafeMutablePointer<regex_t>) {
    self.compiled = compiled
  }

  deinit {
    regfree(compiled)
    compiled.deallocate()
  }

  /// True if a part of the line matches; it may contain any bytes.
  func matches(_ line: UnsafeRawBufferPointer) -> Bool {
    // The library reads only within the given bounds; an empty buffer may have no address.
    var bounds = regmatch_t(rm_so: 0, rm_eo: regoff_t(line.count))
    guard let start = line.baseAddress else {
      return regexec(compiled, "", 0, &bounds, REG_STARTEND) == 0
    }
    return regexec(compiled, start.assumingMemoryBound(to: CChar.self), 0, &bounds, REG_STARTEND)
      == 0
  }
}
