import TaktCore
import TaktSystem

/// Programs for which `limits.memory` is too low although they need less memory.
extension SpecBuilder {
  /// The address space with which any program of this kind starts.
  private static let addressBytesMin = 8 << 30
  /// Their runtimes reserve much more address space than they use.
  private static let reserving: Set<String> = [
    "bun", "chromium", "deno", "dotnet", "go", "google-chrome", "java", "javac", "mvn", "node",
    "nodejs", "npm", "npx", "yarn",
  ]

  func warnOfAddressSpace(of raw: RawJob, _ settled: JobDefaults) {
    guard let files = sources.machineFiles, let bytes = settled.execution.limits.memoryBytes,
      bytes < Self.addressBytesMin
    else { return }
    let place =
      place(of: .limits, in: raw) { $0.value?.object?["memory"]?.mark } ?? raw.place
    eachCommand(of: raw) { field, _ in
      guard let name = reservingProgram(of: field, settled, files) else { return }
      reporter.report(
        .suspicious, severity: .warning, at: place.mark,
        "'memory' limits address space, of which '\(name)' reserves much more than it uses: it may "
          + "not start with \(SizeText.format(bytes))",
        hint: "use 'memory_max', which limits the memory in use",
        owner: KeyOwner(place.owner, .limits))
    }
  }

  /// The name of a program that reserves much, if a command clearly starts one; nil otherwise.
  private func reservingProgram(
    of field: KeyFields.Field, _ settled: JobDefaults, _ files: MachineFiles
  ) -> String? {
    let shell = Array(Wrapper.program(in: settled.execution.shell))
    let words: [String] =
      switch field.value {
      case .text(let text): ShellWord.isShell(shell) ? ShellWord.words(of: text) : shell
      case .list(let items): items.map { $0.value.text ?? "" }
      default: []
      }
    guard let program = Wrapper.program(in: words).first else { return nil }
    let name = UsualShell.baseName(program)
    if Self.reserving.contains(name) { return name }
    guard let path = path(ofProgram: program, settled, files) else { return nil }
    if ProgramKind.isOfGo(fileAt: path) { return name }
    let interpreter = Wrapper.program(in: ProgramKind.interpreter(fileAt: path)).first
    return interpreter.map(UsualShell.baseName).flatMap { Self.reserving.contains($0) ? $0 : nil }
  }
}
