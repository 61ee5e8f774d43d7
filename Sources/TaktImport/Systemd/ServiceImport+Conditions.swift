import TaktCore
import TaktTime

/// Conditions of a service, which become `only_if` if possible.
extension ServiceImport {
  /// - Parameter isTimer: true for the unit of the timer, whose conditions systemd checks only when
  ///   it starts the timer.
  func setConditions(in draft: inout JobDraft, isTimer: Bool = false) {
    var tests: [String] = []
    var alternatives: [String] = []
    for entry in unit.entries where entry.section == "Unit" {
      for prefix in ["Condition", "Assert"] where entry.key.hasPrefix(prefix) {
        let effective = unit.list("Unit", entry.key)
        guard effective.contains(where: { $0.place == entry.place }) else { continue }
        let kind = String(entry.key.dropFirst(prefix.utf8.count))
        var value = expand(entry, in: &draft)
        let isAlternative = value.hasPrefix("|")
        if isAlternative { value.removeFirst() }
        let isNegated = value.hasPrefix("!")
        if isNegated { value.removeFirst() }
        guard let test = Self.test(kind, value[...].trimmed) else {
          report.lose(entry, "takt does not look at this before it runs the job", in: draft.name)
          continue
        }
        settle(entry, prefix, isTimer: isTimer, in: draft)
        let text = isNegated ? "! \(test)" : test
        if isAlternative { alternatives.append(text) } else { tests.append(text) }
      }
    }
    if !alternatives.isEmpty {
      tests.append(
        alternatives.count == 1
          ? alternatives[0] : "{ " + alternatives.joined(separator: " || ") + "; }")
    }
    // systemd checks these last.
    let commands = execConditions(in: &draft)
    tests += commands
    guard !tests.isEmpty else { return }
    if case .list(let words)? = draft[.onlyIf], case .text(let before)? = words.last {
      tests.insert(before, at: 0)
    }
    let test = DraftValue.list(
      [.text("/bin/sh"), .text("-c"), .text(tests.joined(separator: " && "))])
    draft[.onlyIf] =
      commands.isEmpty
      ? test : .mapping(["run": test, "timeout": .word(DurationText.format(conditionTimeout))])
  }

  private func execConditions(in draft: inout JobDraft) -> [String] {
    let statuses = successStatuses.numbers.map(String.init)
    var texts: [String] = []
    for entry in unit.list("Service", "ExecCondition") {
      let found = commands(of: entry, in: &draft)
      guard !found.isEmpty else { continue }
      for command in found {
        let text = shellText(command)
        if command.ignoresFailure {
          texts.append("{ \(text) || true; }")
        } else if statuses.count > 1 {
          let right = statuses.joined(separator: "|")
          texts.append("{ \(text); case $? in \(right)) ;; *) false ;; esac; }")
        } else {
          texts.append(text)
        }
      }
      let isStopped = unit.last("Service", "ExecStopPost") != nil
      report.differ(
        entry,
        "in 'only_if': the run is skipped after status 255, a signal or a timeout, too, and does "
          + "not fail" + (isStopped ? "; ExecStopPost is not run then" : ""), in: draft.name)
    }
    return texts
  }

  /// The time for all commands of `ExecCondition`: that of a start, but at most takt's limit of an
  /// hour.
  private var conditionTimeout: Duration {
    let entry = unit.last("Service", "TimeoutStartSec") ?? unit.last("Service", "TimeoutSec")
    guard let entry, case .duration(let time)? = UnitValue.span(entry.value), time > .zero else {
      return entry == nil && !unit.isOneshot ? .seconds(90) : .seconds(3600)
    }
    return min(time, .seconds(3600))
  }

  private func settle(_ entry: UnitEntry, _ prefix: String, isTimer: Bool, in draft: JobDraft) {
    if isTimer {
      report.differ(
        entry, "in 'only_if': before each run, and not when the timer starts", in: draft.name)
    } else if prefix == "Assert" {
      report.differ(entry, "in 'only_if': the run is skipped, and does not fail", in: draft.name)
    } else {
      report.keep(entry, as: "only_if", in: draft.name)
    }
  }

  /// The program is in one of these folders. A machine that cannot tell has AC power, as for
  /// systemd.
  private static let powerStatus =
    "{ PATH=/usr/bin:/usr/lib/systemd:/lib/systemd systemd-ac-power 2>/dev/null; test $?"

  /// A shell command for a condition; nil if a shell cannot test it.
  private static func test(_ kind: String, _ value: String) -> String? {
    let path = UnitValue.quoted(value)
    switch kind {
    case "PathExists": return "test -e \(path)"
    case "PathIsDirectory": return "test -d \(path)"
    case "PathIsSymbolicLink": return "test -L \(path)"
    case "PathIsReadWrite": return "test -w \(path)"
    case "PathIsMountPoint": return "mountpoint -q \(path)"
    case "FileNotEmpty": return "test -s \(path)"
    case "FileIsExecutable": return "{ test -f \(path) && test -x \(path); }"
    case "DirectoryNotEmpty": return "test -n \"$(ls -A \(path) 2>/dev/null)\""
    case "ACPower":
      switch Unit.boolean(value) {
      case true?: return "\(powerStatus) -ne 1; }"
      case false?: return "\(powerStatus) -eq 1; }"
      case nil: return nil
      }
    case "Virtualization":
      switch value {
      case "yes", "true", "1": return "systemd-detect-virt -q"
      case "no", "false", "0": return "{ ! systemd-detect-virt -q; }"
      case "vm": return "systemd-detect-virt -q --vm"
      case "container": return "systemd-detect-virt -q --container"
      default: return "test \"$(systemd-detect-virt)\" = \(path)"
      }
    case "Host": return "test \"$(hostname)\" = \(path)"
    case "Architecture": return nil
    default: return nil
    }
  }
}
