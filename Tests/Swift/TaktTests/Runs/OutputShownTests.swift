import Foundation
import Glibc
import TaktControl
import Testing

/// The output of commands, in the log, the kept output, a file, a mail and on the page.
@Suite(.ownThreads) struct OutputShownTests {
  /// The columns of the text log before a line's text.
  private static let columns = 43

  @Test func `what is printed is kept as it came and shown as a terminal shows it`() throws {
    let cases = PrintedCase.all
    let live = try LiveTakt(PrintedCase.jobs(of: cases), http: true) { try $0.prepare(cases) }
    let runs = try run(cases, live)
    try live.process.line("the last mail") { [runs] line in
      line.hook == "on_success" && line.to == "ended" && mailCount(in: live.process) >= runs.count
    }
    for printed in cases {
      let name = printed.name
      let run = try #require(runs[name])
      let file = try Data(contentsOf: live.folder.url.appendingPathComponent("\(name).out"))
      checkBytes(Array(file), printed, "file", keepBytes: nil)
      let kept = try live.client.ask(
        "GET", "/api/v1/runs/\(run)/output", body: nil, accept: "text/plain")
      checkBytes(Self.withoutGap(kept.bytes), printed, "kept", keepBytes: printed.keepBytes)
      let lines = live.process.lines.filter { $0.run == run && $0.line != nil }
      check(lines.map { ($0.stream, $0.line ?? "") }, printed, "log JSON") { $0 }
      #expect(Set(lines.map(\.stream)) == printed.streamNames, "\(name)")
      try checkMail(printed, run, in: live.folder)
    }
    try drivePage(cases.filter(\.isOnPage), runs, live)
  }

  @Test func `the text log shows no more of it than a terminal may have`() throws {
    let cases = PrintedCase.all
    let folder = try TemporaryFolder()
    try folder.prepare(cases)
    try folder.write(PrintedCase.jobs(of: cases, on: "start", mails: false))
    let takt = try TaktProcess(["run", "--log-format", "text"], in: folder)
    let (pid, path) = (takt.pid, folder.url.path)
    let names = cases.map(\.name)
    Thread.detachNewThread {
      // This many commands take their time on a busy machine.
      for _ in 1...4 {
        let havePrinted = try? TaktProcess.wait("all have printed") {
          names.allSatisfy { FileManager.default.fileExists(atPath: "\(path)/\($0).done") }
            ? true : nil
        }
        if havePrinted != nil { break }
      }
      kill(pid, SIGTERM)
    }
    var shown: [String: [(String?, String)]] = [:]
    for line in try takt.text().split(separator: "\n") {
      let head = line.prefix(Self.columns).split(separator: " ")
      guard head.count == 4, head[2] == "out" || head[2] == "err" else { continue }
      shown[String(head[1]), default: []].append(
        (head[2] == "out" ? "stdout" : "stderr", String(line.dropFirst(Self.columns))))
    }
    for printed in cases {
      let lines = shown[printed.name] ?? []
      check(
        printed.streams == "merged" ? lines.map { (nil, $0.1) } : lines, printed, "log text"
      ) {
        String(
          String.UnicodeScalarView($0.unicodeScalars.map { Self.isControl($0) ? "\u{fffd}" : $0 }))
      }
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 32 || (127..<160).contains(scalar.value)
  }

  private func run(_ cases: [PrintedCase], _ live: LiveTakt) throws -> [String: Int] {
    var runs: [String: Int] = [:]
    for printed in cases {
      let answer = try live.object("POST", "/api/v1/jobs/\(printed.name)/trigger")
      let run = answer["run"] as? Int
      // A log that is not read would lose lines.
      try live.process.line("its start") { $0.run == run }
      runs[printed.name] = run
    }
    return runs
  }

  /// The API's answer, without the line about bytes that are not kept.
  private static func withoutGap(_ bytes: [UInt8]) -> [UInt8] {
    let data = Data(bytes)
    guard let end = data.range(of: Data(" bytes are not kept …\n".utf8)),
      let start = data[..<end.lowerBound].range(of: Data("\n… ".utf8), options: .backwards)
    else { return bytes }
    return Array(data[..<start.lowerBound] + data[end.upperBound...])
  }

  private func mailCount(in takt: TaktProcess) -> Int {
    takt.lines.filter { $0.hook == "on_success" && $0.to == "ended" }.count
  }

  /// Checks bytes that must be unchanged, and complete if nothing bounds them.
  private func checkBytes(
    _ bytes: [UInt8], _ printed: PrintedCase, _ place: String, keepBytes: Int?
  ) {
    let all = printed.pieces.flatMap(\.bytes)
    let comment = Comment(rawValue: "\(printed) in \(place)")
    let isCut = keepBytes.map { all.count > $0 } ?? false
    if printed.hasOrder, !isCut { #expect(bytes == all, comment) }
    if !isCut { #expect(bytes.count == all.count, comment) }
    guard printed.hasOrder, isCut, let keepBytes else { return }
    // At most a character less at each cut, and no part of one.
    #expect(bytes.count <= keepBytes && bytes.count >= keepBytes - 6, comment)
    let isWhole = (keepBytes / 2 - 3...keepBytes / 2).contains { head in
      bytes.starts(with: all.prefix(head))
        && all.suffix(bytes.count - head) == bytes.dropFirst(head)
    }
    #expect(isWhole, comment)
    if printed.encoding.isText {
      #expect(String(validating: bytes, as: UTF8.self) != nil, comment)
    }
  }

  /// Checks lines that must be as a terminal shows them, in their order within a stream, and in all
  /// if that is known. A long one may come in pieces.
  private func check(
    _ lines: [(stream: String?, text: String)], _ printed: PrintedCase, _ place: String,
    _ shown: (String) -> String
  ) {
    let comment = Comment(rawValue: "\(printed) in \(place)")
    for line in lines { #expect(line.text.utf8.count <= 3 * 8192, comment) }
    for stream in printed.streamNames {
      let wanted = printed.lines.filter { $0.stream == stream }.map { shown($0.shown) }
      let got = lines.filter { $0.stream == stream }.map(\.text)
      #expect(got.joined() == wanted.joined(), comment)
      if printed.size != "long" || printed.encoding == .progress { #expect(got == wanted, comment) }
    }
    guard printed.hasOrder else { return }
    #expect(lines.map(\.text).joined() == printed.lines.map { shown($0.shown) }.joined(), comment)
  }

  private func checkMail(
    _ printed: PrintedCase, _ run: Int, in folder: TemporaryFolder
  ) throws {
    let comment = Comment(rawValue: "\(printed) in the mail")
    let mail = folder.read("mail-\(printed.name)")
    let parts = mail.components(separatedBy: "Content-Transfer-Encoding: base64\n\n").dropFirst()
    let texts = parts.compactMap { part in
      let end = part.range(of: "\n--")?.lowerBound ?? part.endIndex
      return Data(base64Encoded: part[..<end].replacingOccurrences(of: "\n", with: ""))
    }
    let attachment = try #require(texts.last, comment)
    guard printed.hasOrder, printed.size != "large" else { return }
    let wanted = printed.lines.map { $0.mailed + [10] }.joined()
    #expect(Array(attachment) == Array(wanted), comment)
    let last = try #require(printed.lines.last).plain
    #expect(
      mail.contains(last) || texts.contains { String(decoding: $0, as: UTF8.self).contains(last) },
      comment)
  }

  private func drivePage(
    _ cases: [PrintedCase], _ runs: [String: Int], _ live: LiveTakt
  ) throws {
    guard Browser.isInstalled else { return }
    let wanted: [[String: Any]] = cases.map { printed in
      [
        "job": printed.name, "run": runs[printed.name] ?? 0,
        "lines": printed.lines.map { [$0.stream ?? "none", $0.onPage] },
      ]
    }
    let path = live.folder.url.appendingPathComponent("wanted.json")
    try JSONSerialization.data(withJSONObject: wanted).write(to: path)
    try PageTests.drive(live, "shown", [path.path])
  }
}

/// The encoding of lines, and their contents besides text.
private enum LineKind: String, CaseIterable {
  case ascii, utf8, crlf, progress, spinner, colours, stripped, latin1

  var isText: Bool { self != .latin1 }

  /// The bytes of a line without its end, and its form on a terminal.
  func line(_ number: Int, isLong: Bool) -> (bytes: [UInt8], shown: String) {
    let count = isLong ? 1500 : 3
    let end = "line \(number)"
    switch self {
    case .ascii:
      let text = String(repeating: "abcdefg ", count: count) + end
      return (Array(text.utf8), text)
    case .utf8:
      let text = String(repeating: "𝄞€", count: count) + end
      return (Array(text.utf8), text)
    case .crlf:
      let text = String(repeating: "abcdefg ", count: count) + end
      return (Array((text + "\r").utf8), text)
    case .progress:
      let states = (0..<count).map { "\r\u{1b}[K\($0 * 100 / count) % of €" }.joined()
      return (Array((states + "\r100% of € \(end)").utf8), "100% of € \(end)")
    case .spinner:
      let states = (0..<count).map { _ in "|\u{8}/\u{8}-\u{8}" }.joined()
      return (Array((states + end).utf8), end)
    case .colours, .stripped:
      let sequences = [
        "\u{1b}[1;31m", "\u{1b}(B\u{1b}[m", "\u{1b}7", "\u{1b}=", "\u{1b}#8",
        "\u{1b}P1$r0m\u{1b}\\", "\u{1b}]0;a title\u{7}", "\u{1b}_x\u{1b}\\", "\u{9b}0m",
      ]
      let text =
        (0..<count).map { "\(sequences[$0 % sequences.count])w€rd" }.joined()
        + sequences.joined() + end
      let plain = String(repeating: "w€rd", count: count) + end
      return (Array(text.utf8), self == .stripped ? plain : text)
    case .latin1:
      let bytes =
        (0..<count).flatMap { _ in [0x63, 0x61, 0x66, 0xE9, 0x20, 0xFF] as [UInt8] }
        + Array(end.utf8)
      return (bytes, String(decoding: bytes, as: UTF8.self))
    }
  }
}

/// One way to print: the streams, the amount, the pace, and the kind of lines.
private struct PrintedCase: CustomStringConvertible {
  var name: String
  var streams: String
  var size: String
  var rate: String
  var encoding: LineKind
  var pieces: [(descriptor: Int, bytes: [UInt8])] = []
  var lines: [Line] = []

  struct Line {
    /// Nil for the one pipe of both streams.
    var stream: String?
    var shown: String
    /// As in an attachment.
    var mailed: [UInt8]
    var plain: String
    var onPage: String
  }

  var description: String { "\(name): \(streams), \(size), \(rate), \(encoding)" }

  /// True if the order of all lines is known.
  var hasOrder: Bool { streams != "both" || rate == "stepped" }
  var isOnPage: Bool {
    rate == "stepped" && size == "short"
      || size == "long" && streams == "out" && ![.colours, .stripped].contains(encoding)
  }
  var keepBytes: Int { size == "large" ? 1024 : 1 << 20 }

  var streamNames: Set<String?> {
    switch streams {
    case "out": ["stdout"]
    case "err": ["stderr"]
    case "both": ["stdout", "stderr"]
    default: [nil]
    }
  }

  static let all: [Self] = {
    var cases: [Self] = []
    for streams in ["out", "err", "both", "merged"] {
      for size in ["short", "long", "large"] {
        for rate in ["burst", "stepped"] {
          for encoding in LineKind.allCases {
            var printed = Self(
              name: "c\(cases.count)", streams: streams, size: size, rate: rate,
              encoding: encoding)
            printed.fill()
            cases.append(printed)
          }
        }
      }
    }
    return cases
  }()

  private mutating func fill() {
    let count = size == "large" ? 60 : 4
    for number in 0..<count {
      let isError = streams == "err" || ["both", "merged"].contains(streams) && number % 2 == 1
      let (bytes, shown) = encoding.line(number, isLong: size == "long" && number < 2)
      let stream = streams == "merged" ? nil : isError ? "stderr" : "stdout"
      let plain =
        encoding == .colours
        ? LineKind.stripped.line(number, isLong: size == "long" && number < 2).shown : shown
      lines.append(
        Line(
          stream: stream, shown: shown,
          mailed: encoding == .latin1 ? bytes : Array(shown.utf8), plain: plain,
          onPage: Self.onPage(plain)))
      // In two, within a character or a sequence if there is one.
      let cut = bytes.count - bytes.count / 3
      pieces.append((isError ? 2 : 1, Array(bytes[..<cut])))
      pieces.append((isError ? 2 : 1, bytes[cut...] + [10]))
    }
  }

  /// The page cuts longer lines.
  private static func onPage(_ line: String) -> String {
    guard line.utf16.count > 4000 else { return line }
    var cut = line.unicodeScalars.prefix(4000)
    while String(cut).utf16.count > 4000 { cut.removeLast() }
    return String(cut) + " …"
  }

  static func jobs(of cases: [Self], on trigger: String? = nil, mails: Bool = true) -> String {
    let jobs = cases.map { printed in
      let name = printed.name
      let merge = printed.streams == "merged" ? ", merge: true" : ""
      let colours = printed.encoding == .stripped ? ", colors: strip" : ""
      let mail =
        "on_success: {use: mail, with: {sendmail: ./sendmail, from: takt@example.org, to: \(name)@example.org}}"
      return """
          \(name):
            \(trigger.map { "on: \($0)" } ?? "cron: '@yearly'")
            run: [python3, print.py, \(name), \(printed.rate)]
            output: {keep: \(printed.keepBytes)B, file: {path: \(name).out}\(merge)\(colours)}
            \(mails ? mail : "")

        """
    }
    return "jobs:\n" + jobs.joined()
  }
}

extension TemporaryFolder {
  /// Writes the output of the jobs, and the programs that print and mail it.
  fileprivate func prepare(_ cases: [PrintedCase]) throws {
    for printed in cases {
      let pieces = printed.pieces.map { "\($0.descriptor) \(Data($0.bytes).base64EncodedString())" }
      try write(pieces.joined(separator: "\n"), to: "\(printed.name).in")
    }
    try write(
      """
      import base64, fcntl, os, struct, sys, termios, time
      name, rate = sys.argv[1:]
      for line in open(name + ".in"):
          descriptor, text = line.split()
          rest = base64.b64decode(text)
          while rest:
              rest = rest[os.write(int(descriptor), rest):]
          # Until takt has taken it.
          while rate == "stepped" and struct.unpack("i", fcntl.ioctl(int(descriptor), termios.FIONREAD, b"0000"))[0]:
              time.sleep(0.0002)
      open(name + ".done", "w").write("done")
      """, to: "print.py")
    let sendmail = try write(
      """
      #!/bin/sh
      for last; do :; done
      cat > "mail-${last%@*}"
      """, to: "sendmail")
    #expect(chmod(sendmail, 0o755) == 0)
  }
}
