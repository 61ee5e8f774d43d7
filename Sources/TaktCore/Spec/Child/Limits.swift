import TaktTime

/// The limits of each process of a child; nil leaves takt's own limit.
package struct Limits: Hashable, Sendable {
  /// Address space, in bytes.
  package var memoryBytes: Int?
  /// Processor time, in whole seconds.
  package var cpuSeconds: Int?
  /// Open descriptors.
  package var files: Int?
  /// Processes and threads of the child's user.
  package var processes: Int?
  /// A core dump, in bytes; 0 for none.
  package var coreBytes: Int?
  /// The longest file it may write, in bytes.
  package var fileSizeBytes: Int?
  /// The limits of all processes of an attempt together. Default: none.
  package var group = GroupLimits()

  package init() {}
}

extension Limits {
  var words: String? {
    JobKey.list(
      [
        memoryBytes.map { "memory \(SizeText.format($0))" },
        cpuSeconds.map { "cpu \(DurationText.format(.seconds($0)))" },
        files.map { "files \($0)" }, processes.map { "processes \($0)" },
        coreBytes.map { "core \(SizeText.format($0))" },
        fileSizeBytes.map { "file_size \(SizeText.format($0))" },
      ] + group.words)
  }
}
