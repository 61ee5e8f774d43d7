import TaktTesting
import Testing

@testable import TaktEngine

@Suite struct SecretMaskerTests {
  private func masked(_ pieces: [[UInt8]], _ secrets: [[UInt8]]) -> [UInt8] {
    guard let automaton = SecretAutomaton(secrets) else { return pieces.flatMap { $0 } }
    var masker = SecretMasker(automaton)
    var output: [UInt8] = []
    for piece in pieces { piece.withUnsafeBytes { masker.mask($0, into: &output) } }
    masker.finish(into: &output)
    return output
  }

  private func masked(_ pieces: [String], _ secrets: [String]) -> String {
    String(
      decoding: masked(pieces.map { Array($0.utf8) }, secrets.map { Array($0.utf8) }),
      as: UTF8.self)
  }

  @Test(arguments: [
    "hunter2 | password: hunter2! | password: ***!",
    "hunter2 | hunter hunter3 hunter | hunter hunter3 hunter",
    "hunter2 | hunter2hunter2 | ******",
    "hunter2 | hunhunter2ter2 | hun***ter2",
    "abc,abcdef | abcdef abcde | *** ***de",
    "abcdef,cd | abcdx abcdef | ab***x ***",
    "abc,bcd | abcd | ***",
    "aa | aaaaa | ***",
    "x | exit | e***it",
    "ab | aab | a***",
  ])
  func `a value is masked wherever it stands`(row: String) {
    let parts = row.split(separator: "|").map { String($0.dropFirst().dropLast()) }
    let secrets = row.split(separator: "|")[0].dropLast().split(separator: ",").map(String.init)
    #expect(masked([parts[1]], secrets) == String(row.split(separator: "|")[2].dropFirst()))
  }

  @Test func `a value that comes in pieces is masked, and nothing is lost without it`() {
    #expect(masked(["say hun", "", "ter", "2 now"], ["hunter2"]) == "say *** now")
    #expect(masked(["say hun", "t"], ["hunter2"]) == "say hunt")
  }

  @Test func `empty values mask nothing`() {
    #expect(SecretAutomaton([]) == nil)
    #expect(SecretAutomaton([[], []]) == nil)
    #expect(masked(["text"], ["", "x"]) == "te***t")
  }

  @Test(arguments: ["pw", " pw\t", "\u{feff}pw", "pw\r\n", "\u{feff} pw \n"])
  func `a value is masked as it is, and as a program prints it that trims it`(value: String) throws
  {
    let automaton = try #require(SecretAutomaton(withTrimmed: [Array(value.utf8)]))
    #expect(automaton.masked("<\(value)>") == "<***>")
    #expect(automaton.masked("<pw>") == "<***>")
  }

  @Test func `nothing but blanks masks no blanks of others`() throws {
    #expect(try #require(SecretAutomaton(withTrimmed: [[0x20, 0x20]])).masked("a b") == "a b")
  }

  @Test func `values may hold line ends and NUL`() {
    let secret = Array("one\ntwo\0three".utf8)
    #expect(
      masked([[1] + secret.prefix(5), secret.dropFirst(5) + [2]], [secret]) == [1, 42, 42, 42, 2])
  }

  @Test func `a text that is nearly a long value takes no longer than another`() throws {
    let secret = [UInt8](repeating: 97, count: 100_000) + [98]
    let automaton = try #require(SecretAutomaton([secret]))
    let text = [UInt8](repeating: 97, count: 400_000)
    #expect(automaton.masked(text) == text)
    #expect(automaton.masked(text + [98]) == text.dropLast(100_000) + [42, 42, 42])
  }

  /// Few letters make values overlap, repeat and start one another.
  @Test(arguments: UInt64(0)..<300)
  func `any pieces give what the whole gives, and no value is left`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let letters = Array("abc\n\0".utf8.prefix(Int.random(in: 2...5, using: &random)))
    func bytes(_ count: ClosedRange<Int>) -> [UInt8] {
      (0..<Int.random(in: count, using: &random)).map { _ in letters.randomElement(using: &random)!
      }
    }
    let secrets = (0..<Int.random(in: 1...4, using: &random)).map { _ in bytes(0...6) }
    let text = bytes(0...200)
    var pieces: [[UInt8]] = []
    var rest = text[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Int.random(in: 0...9, using: &random))
      pieces.append(Array(piece))
      rest = rest.dropFirst(piece.count)
    }
    let whole = masked([text], secrets)
    #expect(masked(pieces, secrets) == whole)
    #expect(whole == covered(text, secrets))
    for secret in secrets where !secret.isEmpty {
      #expect(!whole.indices.contains { whole[$0...].starts(with: secret) })
    }
  }

  /// The same by a search everywhere: occurrences that overlap are one.
  private func covered(_ text: [UInt8], _ secrets: [[UInt8]]) -> [UInt8] {
    var hidden: [Range<Int>] = []
    for start in text.indices {
      let longest = secrets.filter { !$0.isEmpty && text[start...].starts(with: $0) }
        .map(\.count).max()
      guard let longest else { continue }
      if let last = hidden.last, last.upperBound > start {
        hidden[hidden.count - 1] = last.lowerBound..<max(last.upperBound, start + longest)
      } else {
        hidden.append(start..<(start + longest))
      }
    }
    var output: [UInt8] = []
    var position = 0
    for place in hidden {
      output += text[position..<place.lowerBound] + SecretMasker.mask
      position = place.upperBound
    }
    return output + text[position...]
  }
}
