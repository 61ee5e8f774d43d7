import Foundation

/// A tiny program: static, and it only ends.
enum TinyProgram {
  /// Built by the machine's own C compiler.
  static func build(in folder: URL) throws -> String {
    let source = folder.appendingPathComponent("tiny.c").path
    let program = folder.appendingPathComponent("tiny").path
    try "int main(void) { return 0; }\n".write(toFile: source, atomically: true, encoding: .utf8)
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments = ["cc", "-O2", "-static", "-o", program, source]
    try compiler.run()
    compiler.waitUntilExit()
    guard compiler.terminationStatus == 0 else {
      throw StormError(description: "cc -static does not work here")
    }
    return program
  }
}

struct StormError: Error, CustomStringConvertible {
  var description: String
}
