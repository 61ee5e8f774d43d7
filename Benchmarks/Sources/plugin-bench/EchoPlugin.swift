import Foundation

/// The smallest service plugin: in C, it answers each start with a result.
enum EchoPlugin {
  private static let source = #"""
    #include <stdio.h>
    #include <string.h>
    #include <unistd.h>

    int main(void) {
      static char line[1 << 20];
      while (fgets(line, sizeof line, stdin)) {
        char answer[256];
        int size = 0;
        if (strstr(line, "\"type\":\"hello\"")) {
          size = snprintf(answer, sizeof answer, "{\"type\":\"hello\",\"protocol\":1}\n");
        } else if (strstr(line, "\"type\":\"start\"")) {
          char *run = strstr(line, "\"run\":\"") + 7;
          size = snprintf(answer, sizeof answer,
                          "{\"type\":\"result\",\"run\":\"%.*s\",\"status\":\"ok\"}\n",
                          (int)strcspn(run, "\""), run);
        } else if (strstr(line, "\"type\":\"ping\"")) {
          size = snprintf(answer, sizeof answer, "{\"type\":\"pong\",\"id\":%s",
                          strstr(line, "\"id\":") + 5);
          char *end = strchr(answer + 21, ',');
          if (end) size = (int)(end - answer) + sprintf(end, "}\n");
        } else if (strstr(line, "\"type\":\"shutdown\"")) {
          return 0;
        }
        if (size > 0 && write(3, answer, (size_t)size) != size) return 1;
      }
      return 0;
    }
    """#

  /// Builds it, with its manifest, in `folder/plugins/echo`; returns the program's path.
  static func build(in folder: URL) throws -> String {
    let place = folder.appendingPathComponent("plugins/echo")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let manifest = """
      name: echo
      version: 1.0.0
      protocol: 1
      mode: service
      exec: [./echo]
      """
    try manifest.write(
      to: place.appendingPathComponent("plugin.yaml"), atomically: true, encoding: .utf8)
    let code = place.appendingPathComponent("echo.c").path
    try source.write(toFile: code, atomically: true, encoding: .utf8)
    let program = place.appendingPathComponent("echo").path
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments = ["cc", "-O2", "-o", program, code]
    try compiler.run()
    compiler.waitUntilExit()
    guard compiler.terminationStatus == 0 else { throw BenchError("cc does not work here") }
    return program
  }
}

struct BenchError: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}
