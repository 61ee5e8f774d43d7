import TaktCore
import TaktSystem

/// Programs for which `limits.memory` is too little although they need less memory.
extension SpecBuilder {
  /// Where a program of this kind starts at the latest.
  private static let addressBytesMin = 8 << 30
  /// Their runtimes reserve much more address space than they use.
  private static let reserving: Set<Substring> = [
    "bun", "chromium", "deno", "dotnet", "go", "google-chrome", "java", "javac", "mvn", "node",
    "nodejs", "npm", "npx", "yarn",
  ]

  func warnOfAddressSpace(of raw: RawJob, _ settled: JobDefaults) {
    guard let files = sources.machineFiles, let bytes = settled.execution.limits.memoryBytes,
      bytes < Self.addressBytesMin
    else { return }
    let own = raw.fields[.limits]?.value?.object?["memory"]
    eachCommand(of: raw) { field, owner in
      guard let program = program(of: field, settled) else { return }
      let name = program.split(separator: "/").last ?? ""
      guard Self.reserving.contains(name) || isOfGo(String(program), settled, files) else { return }
      let mark = owner.part == .defaults ? field.mark : raw.nameMark
      reporter.report(
        .suspicious, severity: .warning, at: own?.mark ?? mark,
        "'memory' limits address space, of which '\(name)' reserves much more than it uses: it may "
          + "not start with \(SizeText.format(bytes))",
        hint: "use 'memory_max', which limits the memory in use",
        owner: KeyOwner(own == nil ? owner : raw.owner, .limits))
    }
  }

  private func isOfGo(
    _ program: String, _ settled: JobDefaults, _ files: MachineFiles
  ) -> Bool {
    path(ofProgram: program, settled, files).map { ProgramKind.isOfGo(fileAt: $0) } ?? false
  }
}
