import TaktCore
import TaktTime

struct TestSummary {
  private let results: [TestResult]
  private let file: String

  init(_ results: [TestResult], file: String) {
    self.results = results
    self.file = file
  }

  private var failed: Int { results.count { !$0.failures.isEmpty } }

  /// `jobs.test.yaml: 5 passed, 1 failed`
  var line: String {
    "\(file.printable): \(results.count - failed) passed, \(failed) failed"
  }

  /// In the format for CI servers.
  var junit: String {
    let seconds = Self.seconds(results.reduce(.zero) { $0 + $1.elapsed })
    let numbers = "tests=\"\(results.count)\" failures=\"\(failed)\" time=\"\(seconds)\""
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites \(numbers)>\n"
    text += "  <testsuite name=\"\(Self.escaped(file))\" \(numbers)>\n"
    for result in results { text += Self.testCase(result, file) }
    return text + "  </testsuite>\n</testsuites>\n"
  }

  private static func testCase(_ result: TestResult, _ file: String) -> String {
    let test = result.test
    var text =
      "    <testcase name=\"\(escaped(test.name))\" classname=\"\(escaped(file))\" "
      + "file=\"\(escaped(test.place.file))\" line=\"\(test.place.line)\" "
      + "time=\"\(seconds(result.elapsed))\""
    if result.failures.isEmpty { return text + "/>\n" }
    text += ">\n"
    for failure in result.failures {
      text += "      <failure message=\"\(escaped(failure.failure.sentence))\">"
      text += escaped(failure.lines.joined(separator: "\n")) + "</failure>\n"
    }
    return text + "    </testcase>\n"
  }

  private static func seconds(_ duration: Duration) -> String {
    let milliseconds = Int(duration.milliseconds)
    return "\(milliseconds / 1000).\((milliseconds % 1000).padded(3))"
  }

  /// A text escaped for XML, without control characters, which it cannot contain.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.printableLines.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n": result += "\n"
      case let control where control.value < 0x20 || control.value == 0x7f: result += "\u{fffd}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

struct TestAnswer: Encodable {
  fileprivate struct Test: Encodable {
    var name: String
    var place: String
    var from: String
    var to: String
    var passed: Bool
    var elapsedMs: Int64
    var failures: [Failure]
  }

  fileprivate struct Failure: Encodable {
    var place: String
    var subject: String
    var expectation: String
    var expected: String
    var actual: String
    var at: String?
    var jobs: [String]
    var timeline: [String]
  }

  private var file: String
  private var passed: Int
  private var failed: Int
  private var tests: [Test]

  init(_ results: [TestResult], file: String) {
    self.file = file
    failed = results.count { !$0.failures.isEmpty }
    passed = results.count - failed
    tests = results.map { result in
      let test = result.test
      return Test(
        name: test.name, place: "\(test.place)", from: test.start.rfc3339(),
        to: (test.start + test.span).rfc3339(), passed: result.failures.isEmpty,
        elapsedMs: result.elapsed.milliseconds, failures: result.failures.map { Failure($0) })
    }
  }
}

extension TestAnswer.Failure {
  fileprivate init(_ result: TestResult.Failure) {
    let failure = result.failure
    place = "\(failure.expectation.place)"
    subject = failure.expectation.subject
    expectation = failure.key
    expected = failure.expected
    actual = failure.actual
    at = failure.at?.rfc3339()
    jobs = result.places.map { "\($0)" }
    timeline = result.timeline
  }
}
