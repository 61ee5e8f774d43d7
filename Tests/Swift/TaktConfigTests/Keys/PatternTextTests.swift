import Testing

@testable import TaktConfig

struct PatternTextTests {
  @Test(arguments: [
    "x", "^(ERROR|FATAL) ", "[]\\1]", "[[:digit:]]{1,3}", "a{100}", "(a+)+", "\\{5000\\}",
    "[{9999}]", "a{,5}", "(a{10}){10}", "([a-z0-9]+\\.)+[a-z]{2,}",
  ])
  func `a pattern within the bounds is taken`(text: String) throws {
    try PatternText.check(text)
  }

  @Test(
    arguments: [
      (String(repeating: "a", count: 1025), .tooLong), ("(a)(b)\\2", .backReference),
      ("a{101}", .tooMuchRepetition), ("(a{10}){11}", .tooMuchRepetition),
      ("a{32767}{32767}{32767}{32767}{32767}", .tooMuchRepetition),
      ("a{999,}b{999}c{999}", .tooMuchRepetition), ("((a{100}b{100}){10})", .tooMuchRepetition),
      (
        String(repeating: "(", count: 30) + "a" + String(repeating: "+)", count: 30),
        .tooMuchRepetition
      ),
      (String(repeating: "(", count: 101) + String(repeating: ")", count: 101), .tooDeep),
    ] as [(String, PatternText.Problem)])
  func `a pattern that costs too much is refused`(text: String, problem: PatternText.Problem) {
    #expect(throws: problem) { try PatternText.check(text) }
  }

  @Test(arguments: ["(", "[a", "a{2,1}", "[[:alfa:]]", "a{", "a\\", "*", "a{99999}"])
  func `what the system does not take is refused`(text: String) {
    #expect(throws: PatternText.Problem.self) { try PatternText.check(text) }
  }
}
