import TaktCore
import TaktTime

/// Input, output, resources and follow-up units of a service.
extension ServiceImport {
  func setStreams(in draft: inout JobDraft) {
    setInput(in: &draft)
    guard let output = unit.last("Service", "StandardOutput") else {
      return settleError(nil, in: draft)
    }
    let value = expand(output, in: &draft)
    if let path = Self.path(value) {
      draft.set(.output, "file", .mapping(["path": .text(path)]))
      report.differ(
        output, "takt writes it, and begins a new file when it has 10 MB", in: draft.name)
    } else if value == "null" {
      draft.set(.output, "log", .word("false"))
      report.differ(output, "takt keeps 64 KB of the output for 'takt logs'", in: draft.name)
    } else if Self.isLog(value) {
      report.differ(output, "in the log of takt", in: draft.name)
    } else {
      report.lose(output, "takt prints to nothing of this kind", in: draft.name)
    }
    settleError(value, in: draft)
  }

  private static func isLog(_ value: String) -> Bool {
    ["inherit", "journal", "syslog", "kmsg", "journal+console", "syslog+console", "kmsg+console"]
      .contains(value)
  }

  private static func path(_ value: String) -> String? {
    for prefix in ["append:", "file:", "truncate:"] where value.hasPrefix(prefix) {
      let path = String(value.dropFirst(prefix.utf8.count))
      return path.hasPrefix("/") ? path : nil
    }
    return nil
  }

  private func settleError(_ output: String?, in draft: JobDraft) {
    guard let entry = unit.last("Service", "StandardError") else { return }
    if entry.value == output || entry.value == "inherit"
      || Self.isLog(entry.value) && output.map(Self.isLog) != false
    {
      report.keep(entry, as: "output", in: draft.name)
    } else if entry.value == "null" {
      report.differ(entry, "takt keeps what is printed there, too", in: draft.name)
    } else {
      report.lose(entry, "takt prints both streams to one place", in: draft.name)
    }
  }

  private func setInput(in draft: inout JobDraft) {
    let source = unit.last("Service", "StandardInput")
    // Without the key, the input is the text, if there is one.
    let isData = source.map { $0.value == "data" } ?? true
    let kept = isData ? "stdin" : "no effect without 'StandardInput=data'"
    var input = ""
    for text in unit.list("Service", "StandardInputText") {
      guard let line = UnitValue.unescaped(text.value) else {
        report.lose(text, "systemd does not read this text", in: draft.name)
        continue
      }
      input += expand(line, of: text, in: &draft) + "\n"
      report.keep(text, as: kept, in: draft.name)
    }
    for data in unit.list("Service", "StandardInputData") {
      guard let bytes = Base64.decoded(data.value),
        let text = String(validating: bytes, as: UTF8.self),
        !bytes.contains(0)
      else {
        report.lose(data, "'stdin' is a text, and this is none", in: draft.name)
        continue
      }
      input += text
      report.keep(data, as: kept, in: draft.name)
    }
    if isData, !input.isEmpty { draft[.stdin] = .text(input) }
    guard let source, source.value == Self.nothing || !source.value.hasPrefix(Self.filePrefix)
    else { return }
    if isData || source.value == "null" || source.value == Self.nothing {
      report.keep(source, as: "stdin", in: draft.name)
    } else {
      disable(source, "takt gives a command a text or a file to read", in: &draft)
    }
  }

  private static let filePrefix = "file:"
  private static let nothing = "file:/dev/null"

  /// The file that each command reads; nil for none, and, with a report, if takt cannot do the
  /// same.
  func inputFile(in draft: inout JobDraft) -> String? {
    guard let entry = unit.last("Service", "StandardInput"),
      entry.value.hasPrefix(Self.filePrefix), entry.value != Self.nothing
    else { return nil }
    let value = expand(entry, in: &draft)
    let path = String(value.dropFirst(Self.filePrefix.utf8.count))
    let output = unit.last("Service", "StandardOutput")?.value
    let problem: String? =
      if !path.hasPrefix("/") {
        "systemd wants the whole path of a file"
      } else if output == "inherit" || output == value {
        "systemd connects the output to this file, too"
      } else if ![.file, .none].contains(context.tree.kind(of: path)) {
        "no regular file: systemd may connect to it as a socket, and a shell does not"
      } else {
        nil
      }
    if let problem {
      disable(entry, problem, in: &draft)
      return nil
    }
    let name = unit.last("Service", "User") == nil ? nil : user?.name
    if let name, name != "root", manager.user == nil {
      report.differ(
        entry, "a shell opens it with the rights of '\(name)', not of root", in: draft.name)
    } else {
      report.keep(entry, as: "run", in: draft.name)
    }
    return path
  }

  func setPriorities(in draft: inout JobDraft) {
    if let entry = unit.last("Service", "Nice") {
      if let number = Int(entry.value), (-20...19).contains(number) {
        draft[.nice] = .word("\(number)")
        report.keep(entry, as: "nice", in: draft.name, values: ["\(number)"])
      } else {
        report.lose(entry, "this is no nice value", in: draft.name)
      }
    }
    let level = unit.last("Service", "IOSchedulingPriority").flatMap { Int($0.value) }.flatMap {
      (0...7).contains($0) ? $0 : nil
    }
    if let entry = unit.last("Service", "IOSchedulingClass") {
      let classes = [
        "realtime": "realtime", "1": "realtime", "best-effort": "best-effort",
        "2": "best-effort", "idle": "idle", "3": "idle",
      ]
      if let name = classes[entry.value] {
        draft[.inputOutput] = .word(name == "idle" ? name : "\(name):\(level ?? 4)")
        report.keep(entry, as: "ionice", in: draft.name)
      } else {
        report.keep(entry, as: "the default", in: draft.name)
      }
    } else if let level {
      draft[.inputOutput] = .word("best-effort:\(level)")
    }
    if let entry = unit.last("Service", "IOSchedulingPriority") {
      if level != nil {
        report.keep(entry, as: "ionice", in: draft.name)
      } else {
        report.lose(entry, "this is no level", in: draft.name)
      }
    }
    guard let entry = unit.last("Service", "CPUSchedulingPolicy") else { return }
    switch entry.value {
    case "other": report.keep(entry, as: "the default", in: draft.name)
    case "batch", "idle":
      let name = entry.value == "batch" ? "utility" : "background"
      draft[.qos] = .word(name)
      // The class has priorities of its own, which the unit does not ask for.
      if draft[.nice] == nil { draft[.nice] = .word("0") }
      if draft[.inputOutput] == nil { draft[.inputOutput] = .word("best-effort:4") }
      report.differ(
        entry, "'qos: \(name)' has this policy, and lets timers of the command be less exact",
        in: draft.name)
    default: report.lose(entry, "takt has no real-time policies", in: draft.name)
    }
  }

  func setLimits(in draft: inout JobDraft) {
    let rows: [(String, String, LimitKind)] = [
      ("LimitNOFILE", "files", .number(1...1_048_576)),
      ("LimitNPROC", "processes", .number(1...4_194_304)),
      ("LimitAS", "memory", .size(from: 1)), ("LimitCORE", "core", .size(from: 0)),
      ("LimitFSIZE", "file_size", .size(from: 0)), ("LimitCPU", "cpu", .time),
    ]
    for (key, name, kind) in rows {
      guard let entry = unit.last("Service", key) else { continue }
      let parts = entry.value.split(separator: ":").map(String.init)
      guard let soft = parts.first, parts.count <= 2 else {
        report.lose(entry, "this is no limit", in: draft.name)
        continue
      }
      if soft == "infinity" {
        report.keep(entry, as: "no limit", in: draft.name)
      } else if let text = kind.text(of: soft) {
        draft.set(.limits, name, .word(text))
        if parts.count == 2, parts[1] != soft {
          report.differ(entry, "takt has one limit; the lower one counts", in: draft.name)
        } else {
          report.keep(entry, as: "limits.\(name)", in: draft.name, values: [text])
        }
      } else {
        report.lose(entry, "takt has no such limit", in: draft.name)
      }
    }
    setGroupLimits(in: &draft)
  }

  private enum LimitKind {
    case number(ClosedRange<Int>)
    case size(from: Int)
    case time

    func text(of value: String) -> String? {
      switch self {
      case .number(let range):
        return UnitValue.bytes(value).flatMap { range.contains($0) ? "\($0)" : nil }
      case .size(let least):
        return UnitValue.bytes(value).flatMap {
          (least...SizeText.maximumBytes).contains($0) ? SizeText.format($0) : nil
        }
      case .time:
        guard case .duration(let time)? = UnitValue.span(value), time >= .seconds(1) else {
          return nil
        }
        return "\(time.milliseconds / 1000)s"
      }
    }
  }

  private func setGroupLimits(in draft: inout JobDraft) {
    for (key, name) in [
      ("MemoryMax", "memory_max"), ("CPUQuota", "cpu_quota"), ("TasksMax", "tasks_max"),
      ("IOWeight", "io_weight"),
    ] {
      guard let entry = unit.last("Service", key) else { continue }
      let text: String?
      switch key {
      case "MemoryMax":
        text = UnitValue.bytes(entry.value).flatMap {
          (GroupLimits.memoryBytesMin...SizeText.maximumBytes).contains($0)
            ? SizeText.format($0) : nil
        }
      case "CPUQuota": text = GroupLimits.percent(entry.value).map { "\($0)%" }
      case "TasksMax":
        text = Int(entry.value).flatMap { (1...4_194_304).contains($0) ? "\($0)" : nil }
      default: text = Int(entry.value).flatMap { (1...10_000).contains($0) ? "\($0)" : nil }
      }
      if entry.value == "infinity" {
        report.keep(entry, as: "no limit", in: draft.name)
      } else if let text {
        draft.set(.limits, name, .word(text))
        draft.set(.limits, "enforce", .word("if_possible"))
        report.differ(
          entry,
          "only where takt may use control groups; without 'enforce: if_possible' it insists",
          in: draft.name)
      } else {
        report.lose(entry, "takt has no such limit", in: draft.name)
      }
    }
  }

  func setFollowers(in draft: inout JobDraft) {
    for (key, hook) in [("OnFailure", JobKey.onFailure), ("OnSuccess", .onSuccess)] {
      for entry in unit.list("Unit", key) {
        let units = expand(entry, in: &draft).split(separator: " ").map(String.init)
        draft.append(
          hook,
          .mapping([
            "run": .list(
              (manager.systemctl + ["start", "--no-block", "--"] + units).map(DraftValue.text))
          ]))
        report.keep(entry, as: hook.name, in: draft.name, values: units)
      }
    }
    if let entry = unit.last("Service", "SyslogIdentifier") {
      report.differ(entry, "takt's log names the job", in: draft.name)
    }
    for entry in unit.entries where entry.section == "Install" {
      report.keep(entry, as: "the timer starts the service", in: draft.name)
    }
  }
}

enum Base64 {
  static func decoded(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    var padding = 0
    for byte in text.utf8 where byte != UInt8(ascii: " ") && byte != UInt8(ascii: "\t") {
      if byte == UInt8(ascii: "=") {
        padding += 1
        continue
      }
      guard padding == 0, let value = value(of: byte) else { return nil }
      bits = bits << 6 | value
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        bits &= 1 << UInt32(count) - 1
      }
    }
    return padding <= 2 ? bytes : nil
  }

  private static func value(of byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
