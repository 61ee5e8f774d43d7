import TaktCore

/// Texts and environments that are too large for Linux.
extension SpecBuilder {
  /// The most bytes of an argument or a variable, with its final NUL.
  private static let textBytesMax = 128 << 10
  /// The most bytes of a whole environment, with the usual stack limit of 8 MiB.
  private static let environmentBytesMax = 2 << 20

  /// Reports commands, arguments and variables with which no program can start.
  func warnOfSizes(of raw: RawJob, _ settled: JobDefaults) {
    eachCommand(of: raw) { field, owner in
      switch field.value {
      case .text(let text): checkSize(text, "the command", at: field.mark, owner: owner)
      case .list(let items):
        for item in items {
          guard let text = item.value.text else { continue }
          checkSize(text, "an argument", at: item.mark, owner: owner)
        }
      default: break
      }
    }
    checkEnvironment(settled.execution.environment, of: raw)
  }

  private func checkSize(_ text: String, _ subject: String, at mark: YAMLMark, owner: KeyOwner) {
    guard text.utf8.count >= Self.textBytesMax else { return }
    reporter.report(
      .suspicious, severity: .warning, at: mark,
      "\(subject) is longer than \(SizeText.format(Self.textBytesMax)), the most that Linux passes "
        + "to a program as one text",
      hint: "put it in a file, and run or name that", owner: owner)
  }

  private func checkEnvironment(_ environment: [String: String], of raw: RawJob) {
    let file = place(of: .environmentFile, in: raw) ?? raw.place
    var total = 0
    for (name, value) in environment.sorted(by: { $0.key < $1.key }) {
      // Includes the `=`, the final NUL, and a pointer.
      let bytes = name.utf8.count + value.utf8.count + 2
      total += bytes + 8
      guard bytes > Self.textBytesMax else { continue }
      let place =
        place(of: .environment, in: raw) { field in
          field.value?.map?.first { $0.name == name }?.mark
        } ?? file
      reporter.report(
        .suspicious, severity: .warning, at: place.mark,
        "the variable '\(name.shortened)' is longer than \(SizeText.format(Self.textBytesMax)), the "
          + "most that Linux passes to a program as one text",
        hint: "put the value in a file, and set the variable to its path", owner: place.owner)
    }
    guard total > Self.environmentBytesMax else { return }
    let place = place(of: .environment, in: raw) ?? file
    reporter.report(
      .suspicious, severity: .warning, at: place.mark,
      "the environment is larger than \(SizeText.format(Self.environmentBytesMax)), the most that "
        + "Linux passes to a program",
      hint: "put long values in files, and set variables to their paths", owner: place.owner)
  }
}
