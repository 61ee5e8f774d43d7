/// What the program was called with.
package enum ProgramArguments {
  /// All but the program's own name.
  ///
  /// Swift looks for them beside the environment, and finds nothing where a preloaded library, such as
  /// libfaketime, has moved that. The kernel knows them still.
  package static let given: [String] = {
    let found = CommandLine.arguments
    guard found.count < 2, let bytes = try? SmallFile.read("/proc/self/cmdline", bytesMax: 4 << 20)
    else { return Array(found.dropFirst()) }
    return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().dropFirst()
      .map { String(decoding: $0, as: UTF8.self) }
  }()
}
