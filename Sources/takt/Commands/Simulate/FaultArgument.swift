import ArgumentParser
import TaktCore
import TaktEngine
import TaktTime

/// Parses a fault from the command line.
struct FaultArgument {
  let start: WallInstant
  let span: Duration
  let snapshot: Snapshot
  let file: String

  /// `step=-1h@2026-03-29T01:30`, `slow=backup:2m`, `sleep`; ends the program with a sentence for
  /// anything else.
  func fault(_ text: String) throws -> SimulatedFault {
    // A file's name may hold an @; an instant does not.
    let cut = text.lastIndex(of: "@")
    let what = cut.map { text[..<$0] } ?? text[...]
    let parts = what.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let value = parts.count > 1 ? String(parts[1]) : nil
    var at = start + span / 2
    if let cut { at = try instant(String(text[text.index(after: cut)...]), in: text) }
    guard start <= at, at <= start + span else {
      throw wrong(text, "the time is outside the simulation; see --from and --for")
    }
    switch parts[0] {
    case "step":
      guard let step = signed(value ?? "") else {
        throw wrong(
          text, "step takes +1h or -1h, up to \(DurationText.format(SimulateCommand.spanMax))")
      }
      return SimulatedFault(.step(step), at: at)
    case "sleep": return SimulatedFault(.sleep(try duration(value, "1h", in: text)), at: at)
    case "stall": return SimulatedFault(.stall(try duration(value, "1m", in: text)), at: at)
    case "crash": return SimulatedFault(.crash(down: try duration(value, "10s", in: text)), at: at)
    case "slow": return try slow(value ?? "", at: cut == nil ? start : at, in: text)
    case "reload":
      guard let value, !value.isEmpty else { throw wrong(text, "reload takes a jobs file") }
      let source = JobsFileSource(path: value, catalogue: BuiltinRegistry.standard)
      return SimulatedFault(.reload(try source.loadOrExit(isQuiet: true).snapshot), at: at)
    default:
      let nearest = NearestName.of(
        String(parts[0]), among: ["step", "sleep", "stall", "slow", "crash", "reload"])
      throw wrong(
        text, nearest.map { "did you mean '\($0)'?" } ?? "see 'takt simulate --help'")
    }
  }

  private func slow(_ value: String, at: WallInstant, in text: String) throws -> SimulatedFault {
    let parts = value.split(separator: ":", maxSplits: 1)
    guard parts.count == 2 else { throw wrong(text, "slow takes JOB:2m") }
    let spec = try job(String(parts[0]))
    return SimulatedFault(
      .slow(spec.name, try duration(String(parts[1]), "1m", in: text)), at: at)
  }

  private func job(_ name: String) throws -> JobSpec {
    if let spec = snapshot.jobs.first(where: { $0.name.text == name }) { return spec }
    throw ValidationError(
      "there is no job '\(name.printable)' in \(file)"
        + (snapshot.advice(onUnknown: name).map { "; \($0)" } ?? ".").printable)
  }

  private func instant(_ text: String, in fault: String) throws -> WallInstant {
    if text.hasPrefix("+") {
      guard let duration = try? DurationText.parse(String(text.dropFirst())) else {
        throw wrong(fault, "+ must be followed by a duration such as 2h")
      }
      return start + duration
    }
    return try InstantArgument.read(text, of: "--fault \(fault)", in: snapshot.settings.zone)
  }

  private func duration(_ text: String?, _ usual: String, in fault: String) throws -> Duration {
    guard let duration = try? DurationText.parse(text ?? usual), duration > .zero,
      duration <= SimulateCommand.spanMax
    else {
      throw wrong(
        fault,
        "the fault takes a duration such as \(usual), up to "
          + DurationText.format(SimulateCommand.spanMax))
    }
    return duration
  }

  private func signed(_ text: String) -> Duration? {
    let isBack = text.hasPrefix("-")
    let digits = isBack || text.hasPrefix("+") ? String(text.dropFirst()) : text
    guard let step = try? DurationText.parse(digits), step <= SimulateCommand.spanMax else {
      return nil
    }
    return isBack ? .zero - step : step
  }

  private func wrong(_ fault: String, _ hint: String) -> ValidationError {
    ValidationError("--fault \(fault.printable): \(hint).")
  }
}
