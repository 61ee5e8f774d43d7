import Glibc
import TaktCore
import TaktSystem
import TaktTime

/// What becomes of the output of one attempt: it is counted, matched, masked, kept, logged and
/// written to a file.
///
/// `@unchecked Sendable`: whoever makes it hands it to the reactor's thread at once, and from then on
/// all that changes is touched there alone. Others only hold it, to tell one attempt from another.
final class AttemptOutput: @unchecked Sendable {
  private struct Stream {
    var bytes = 0
    /// Nil where sequences for terminals are kept.
    var stripper: TerminalStripper?
    var masker: SecretMasker?
    /// The start of a character whose rest has not come yet: nothing is to stand between the two.
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

  /// From now on these values are masked, in place of those of before.
  func hide(_ secrets: [[UInt8]]) {
    automaton = SecretAutomaton(withTrimmed: secrets)
    for stream in StandardStream.allCases {
      masked.removeAll(keepingCapacity: true)
      streams[stream.index].masker?.finish(into: &masked)
      masked.withUnsafeBytes { pass($0, from: stream) }
      streams[stream.index].masker = automaton.map { SecretMasker($0) }
    }
  }

  /// Takes a line that somebody else says for the child, or several with line ends between them.
  func line(_ text: String, _ level: LogLevel) {
    var bytes = Array(text.utf8)
    if stripsAll { bytes = bytes.withoutTerminalSequences }
    if let automaton { bytes = automaton.masked(bytes) }
    line(masked: bytes, level)
  }

  /// Takes such a line as it is: no secret is in it.
  func line(masked line: [UInt8], _ level: LogLevel) {
    var bytes = line
    if bytes.last != 10 { bytes.append(10) }
    bytes.withUnsafeBytes { targets.receive($0, &ownLines, from: nil, level) }
  }

  var keptHead: [UInt8] { targets.kept.head }

  /// Whether the command is to be read no faster than its output can be used.
  var needsTime: Bool { targets.needsTime }

  /// Nothing was started, of which the log knows why; so does the output from now on. Returns what is
  /// kept.
  func neverStarted(_ sentence: String) -> OutputFacts {
    explain(sentence)
    return OutputFacts(kept: targets.takeKept())
  }

  /// Keeps a sentence that the log has already: why the attempt has ended.
  func explain(_ sentence: String) {
    let start: [UInt8] = targets.endsLine ? [] : [10]
    (start + Array(sentence.utf8) + [10]).withUnsafeBytes { targets.keep($0, from: nil) }
  }

  /// The stream has ended: an unfinished last line is one as well.
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

  /// takt has told the attempt to end before it had.
  func stopped() {
    wasStopped = true
  }

  /// The action takes longer than it may: it has failed, however it ends.
  func ranOut() {
    isOverdue = true
  }

  /// The attempt has ended: what it has printed, and from now on whether it has failed. What its
  /// descendants print later is kept as well, and no longer judged.
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

  /// What is kept of what has come since it ended.
  var keptSinceEnd: KeptOutput { targets.keptSinceTaken }

  /// Nothing comes any more, and it has been judged.
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

  /// Passes whole characters on.
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
  /// The output of an action that was not started: why.
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

/// A POSIX extended regular expression that a line of standard output may match.
final class FailurePattern {
  /// Owned by this object alone, from `init` to `deinit`.
  private let compiled: UnsafeMutablePointer<regex_t>

  /// Nil when the C library refuses the expression, or has no memory for it, or would see only the
  /// part of it that stands before a NUL.
  convenience init?(_ text: String) {
    guard !text.utf8.contains(0) else { return nil }
    let compiled = UnsafeMutablePointer<regex_t>.allocate(capacity: 1)
    compiled.initialize(to: regex_t())
    // From the beginning of a line and through any bytes: so the library goes through it once. It would
    // start anew at each byte otherwise, which with repetitions takes a second for a line of 8 KB.
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

  /// Whether each `)` closes a group, so that the expression means the same within one. The library
  /// takes one that closes none for the character.
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

  /// Goes behind the `]` that ends what `[` has begun: not one that stands first, and none of a class
  /// such as `[:alpha:]`.
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

  /// Whether the line holds a match; it may hold any bytes.
  func matches(_ line: UnsafeRawBufferPointer) -> Bool {
    // The bounds are given, and nothing reads beyond them; an empty buffer may have no address.
    var bounds = regmatch_t(rm_so: 0, rm_eo: regoff_t(line.count))
    guard let start = line.baseAddress else {
      return regexec(compiled, "", 0, &bounds, REG_STARTEND) == 0
    }
    return regexec(compiled, start.assumingMemoryBound(to: CChar.self), 0, &bounds, REG_STARTEND)
      == 0
  }
}
