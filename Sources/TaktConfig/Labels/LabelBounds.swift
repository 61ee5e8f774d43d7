import TaktCore
import TaktTime

/// The bounds of what a job of labels asks of takt: the container's author writes them, and the jobs of
/// the file are to run all the same.
enum LabelBounds {
  /// As it is written.
  static let rate = "\(ContainerAccess.rateMax.lines)/s"

  /// The keys in which a job asks for more, each with a sentence.
  static func excesses(of spec: JobSpec) -> [(path: [String], message: String)] {
    var excesses: [(path: [String], message: String)] = []
    let least = ContainerAccess.intervalMin
    func check(_ duration: Duration?, _ path: [String]) {
      guard let duration, duration < least else { return }
      excesses.append(
        (
          path,
          "'\(path.joined(separator: "."))' of a label must be at least "
            + "\(DurationText.format(least)), not \(DurationText.format(duration))"
        ))
    }
    check(spec.timing.schedule.every?.interval, [LabelKey.every])
    if spec.execution.retry.attempts > 1 { check(spec.execution.retry.delay, ["retry", "delay"]) }
    let output = spec.execution.output
    if output.keepBytes > ContainerAccess.keepBytesMax {
      excesses.append(
        (
          ["output", "keep"],
          "'output.keep' of a label must be at most "
            + "\(SizeText.format(ContainerAccess.keepBytesMax)), not "
            + SizeText.format(output.keepBytes)
        ))
    }
    // In seconds, since the rate itself is per second.
    let seconds = (output.rate?.period.milliseconds ?? 0) / 1000
    let linesMax = Int64(ContainerAccess.rateMax.lines) * seconds
    if output.rate.map({ Int64(clamping: $0.lines) > linesMax }) ?? true {
      excesses.append((LabelJob.rate, "'output.rate' of a label must be at most \(rate)"))
    }
    return excesses
  }
}
