import CFuzzer
import Glibc
import TaktSystem

/// Feeds takt's readers with input that they were not made for.
///
/// - `boundary-fuzz list` prints the targets.
/// - `boundary-fuzz replay FOLDER` reads each file of `FOLDER/TARGET/`.
/// - `boundary-fuzz TARGET [OPTIONS] [FOLDER]` lets libFuzzer search for inputs, with its own
///   options; for that, build the program as `make fuzz-boundaries` does.
@main
@MainActor
struct BoundaryFuzz {
  /// The target of libFuzzer's callback, which is called on the main thread.
  private static var target: (any FuzzTarget)?

  static func main() throws {
    var arguments = CommandLine.arguments.dropFirst()
    switch arguments.popFirst() {
    case "list":
      for target in fuzzTargets { print("\(target.name)\t\(target.summary)") }
    case "replay":
      guard let folder = arguments.popFirst(), arguments.isEmpty else { usage() }
      try replay(folder)
    case .some(let name):
      guard let kind = fuzzTargets.first(where: { $0.name == name }) else {
        fail("there is no target '\(name)'; 'boundary-fuzz list' prints them")
      }
      target = try kind.init()
      exit(fuzz())
    case nil: usage()
    }
  }

  /// Reads all kept inputs, and prints their number for each target.
  private static func replay(_ folder: String) throws {
    for kind in fuzzTargets {
      var target = try kind.init()
      let inputs = Files.names(in: "\(folder)/\(kind.name)")
      for name in inputs {
        guard let bytes = Files.bytes(of: "\(folder)/\(kind.name)/\(name)") else {
          fail("\(folder)/\(kind.name)/\(name): \(SystemError.text())")
        }
        target.read(bytes)
      }
      print("\(kind.name): \(inputs.count) inputs read")
    }
  }

  private static func fuzz() -> Int32 {
    // For libFuzzer, the name of the target is the program's name.
    let result = cfuzzer_run(CommandLine.argc - 1, CommandLine.unsafeArgv + 1) { bytes, count in
      let bytes = Array(UnsafeBufferPointer(start: bytes, count: count))
      MainActor.assumeIsolated { BoundaryFuzz.target?.read(bytes) }
      return 0
    }
    if result == -1 { fail("built without libFuzzer; use 'make fuzz-boundaries'") }
    return result
  }

  private static func usage() -> Never {
    fail("usage: boundary-fuzz list | replay FOLDER | TARGET [OPTIONS] [FOLDER]")
  }

  private static func fail(_ message: String) -> Never {
    let line = Array("boundary-fuzz: \(message)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    exit(64)
  }
}
