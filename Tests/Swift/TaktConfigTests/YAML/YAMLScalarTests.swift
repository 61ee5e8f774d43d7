import Testing

@testable import TaktConfig

struct YAMLScalarTests {
  @Test(
    arguments: [
      ("", .null), ("~", .null), ("null", .null), ("Null", .null), ("NULL", .null),
      ("nULL", .string), ("true", .boolean(true)), ("False", .boolean(false)),
      ("TRUE", .boolean(true)), ("tRUE", .string), ("yes", .string), ("on", .string),
      ("n", .string), ("0", .integer(0)), ("-12", .integer(-12)), ("+3", .integer(3)),
      ("010", .integer(10)), ("0o17", .integer(15)), ("0xfF", .integer(255)), ("0x", .string),
      ("0o8", .string), ("0b1", .string), ("1_000", .string), ("-", .string), ("+", .string),
      ("99999999999999999999", .integer(nil)), ("1.", .float), (".5", .float), ("-1.5e+3", .float),
      ("1e3", .float), (".", .string), ("1e", .string), (".inf", .float), ("-.INF", .float),
      (".nan", .float), ("-.nan", .string), ("1:30", .string), ("2026-12-24", .string),
      ("10s", .string), ("10%", .string), ("٣", .string), ("0x١", .string),
    ] as [(String, YAMLScalar.Kind)])
  func `a plain scalar is what YAML's core schema says`(text: String, kind: YAMLScalar.Kind) {
    #expect(YAMLScalar(text: text, isPlain: true).kind == kind)
    #expect(YAMLScalar(text: text, isPlain: false).kind == .string)
  }

  @Test func `a tag says what a scalar is`() {
    #expect(YAMLScalar(text: "5", isPlain: true, tag: .string).kind == .string)
    #expect(YAMLScalar(text: "5", isPlain: false, tag: .integer).kind == .integer(5))
    #expect(YAMLScalar(text: "5", isPlain: true, tag: .nonSpecific).kind == .string)
    #expect(!YAMLScalar(text: "x", isPlain: true, tag: .integer).fitsTag)
    #expect(YAMLScalar(text: "5", isPlain: true, tag: .float).fitsTag)
    #expect(!YAMLScalar(text: "5", isPlain: true, tag: .sequence).fitsTag)
    #expect(!YAMLScalar(text: "5", isPlain: true, tag: .unknown("!x")).fitsTag)
  }
}
