package enum ProgramArguments {
  /// All but the program's own name.
  ///
  /// Swift looks for them next to the environment, and finds none if a preloaded library, such as
  /// libfaketime, has moved that. The kernel still has them.
  package static let given: [String] = {
    let found = CommandLine.arguments
    guard found.count < 2, let bytes = try? SmallFile.read("/proc/self/cmdline", bytesMax: 4 << 20)
    else { return Array(found.dropFirst()) }
    return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().dropFirst()
      .map { String(decoding: $0, as: UTF8.self) }
  }()
}
