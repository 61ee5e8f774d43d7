import Foundation
import Glibc
import TestSupport
import Testing

@Suite struct AlertRuleTests {
  static let hasPromtool = system("command -v promtool >/dev/null") == 0

  @Test(.enabled(if: hasPromtool, "promtool is not installed"))
  func `each alert fires when it is to`() throws {
    let folder = Repository.path("packaging/monitoring/prometheus")
    for words in ["check rules takt.rules.yaml", "test rules takt.rules.test.yaml"] {
      let promtool = Process()
      promtool.executableURL = URL(filePath: "/bin/sh")
      promtool.arguments = ["-c", "exec promtool \(words)"]
      promtool.currentDirectoryURL = URL(filePath: folder)
      let output = Pipe()
      promtool.standardOutput = output
      promtool.standardError = output
      try promtool.run()
      let text = String(
        decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      promtool.waitUntilExit()
      #expect(promtool.terminationStatus == 0, "\(text)")
    }
  }

  /// Prometheus reserves the label `job`.
  @Test func `what is said of a single job names it by the label that Prometheus gives it`() throws
  {
    for file in ["packaging/monitoring/prometheus/takt.rules.yaml", "docs/control.md"] {
      let text = try Repository.text(file)
      #expect(text.contains("exported_job"), "\(file)")
    }
    let rules = try Repository.text("packaging/monitoring/prometheus/takt.rules.yaml")
    #expect(!rules.contains("$labels.job }}"))
  }
}
