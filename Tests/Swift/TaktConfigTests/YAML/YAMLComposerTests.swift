import TaktSystem
import Testing

@testable import TaktConfig

struct YAMLComposerTests {
  /// The root as one line, with what was reported.
  private func compose(_ text: String) throws -> (shown: String, problems: [String]) {
    let source = SourceText(file: "f", bytes: FileBytes(Array(text.utf8)))
    let reporter = Reporter(source)
    let composer = YAMLComposer(source, limits: YAMLLimits(), reporter: reporter)
    try composer.openDocument()
    let node = try composer.node()
    try composer.closeDocument()
    return (node.shown, rows(reporter.log.sorted(files: [])))
  }

  @Test(arguments: [
    "a: [1, {b: c}] => {a: [1, {b: c}]}", "{a: &x [1], b: *x} => {a: [1], b: [1]}",
    "{a: &x 1, b: &x 2, c: *x} => {a: 1, b: 2, c: 2}",
    "{a: &x {p: 1, q: 2}, b: {q: 3, <<: *x, r: 4}} => {a: {p: 1, q: 2}, b: {q: 3, r: 4, p: 1}}",
    "{a: &x {p: 1}, b: &y {p: 2, q: 2}, c: {<<: [*x, *y]}} "
      + "=> {a: {p: 1}, b: {p: 2, q: 2}, c: {p: 1, q: 2}}",
    "{a: &x {p: 1}, b: &y {<<: *x, q: 2}, c: {<<: *y}} "
      + "=> {a: {p: 1}, b: {q: 2, p: 1}, c: {q: 2, p: 1}}",
    "{a: {<<: {p: 1}}} => {a: {p: 1}}", "{\"<<\": 1} => {<<: 1}",
    "{&k key: 1, b: *k } => {key: 1, b: key}", "{&k key: 1, b: {*k : 2}} => {key: 1, b: {key: 2}}",
    "!!map {a: !!seq [!!str 5, !!int \"5\", ! x]} => {a: [5, 5, x]}",
  ])
  func `anchors, aliases and merges`(row: String) throws {
    let parts = row.split(separator: " => ").map(String.init)
    let result = try compose(parts[0])
    #expect(result.shown == parts[1])
    #expect(result.problems == [])
  }

  @Test func `a mapping of many keys finds its duplicates too`() throws {
    let keys = (1...100).map { "k\($0): 1" }.joined(separator: "\n")
    #expect(
      try compose(keys + "\nk7: 1\nk99: 1\n").problems == [
        "101:1 duplicateKey", "102:1 duplicateKey",
      ])
    let merged = try compose("{a: &a {\(keys.replacing("\n", with: ", "))}, b: {<<: *a, k3: 2}}")
    #expect(merged.problems == [])
    #expect(merged.shown.hasSuffix("k99: 1, k100: 1}}"))
    #expect(merged.shown.contains("b: {k3: 2, k1: 1, k2: 1, k4: 1"))
  }

  @Test func `places are of lines and columns from 1`() throws {
    let text = "\u{feff}a:\r\n  - ü: [x, y]\r\n"
    let source = SourceText(file: "f", bytes: FileBytes(Array(text.utf8)))
    let composer = YAMLComposer(source, limits: YAMLLimits(), reporter: Reporter(source))
    try composer.openDocument()
    guard case .mapping(let root) = try composer.node().content,
      case .sequence(let items) = root[0].value.content,
      case .mapping(let inner) = items[0].content,
      case .sequence(let letters) = inner[0].value.content
    else {
      Issue.record("another shape")
      return
    }
    #expect(root[0].keyMark == YAMLMark(line: 1, column: 1))
    #expect(inner[0].keyMark == YAMLMark(line: 2, column: 5))
    #expect(letters.map(\.mark.column) == [9, 12])
  }

  @Test func `the bound on nodes counts what aliases stand for`() throws {
    let source = SourceText(file: "f", bytes: FileBytes(Array("[&a [1, 2, 3], *a, *a]".utf8)))
    for (bound, isEnough) in [(13, true), (12, false)] {
      let limits = YAMLLimits(nodes: bound)
      let composer = YAMLComposer(source, limits: limits, reporter: Reporter(source))
      try composer.openDocument()
      #expect(((try? composer.node()) != nil) == isEnough)
    }
  }
}

extension YAMLNode {
  fileprivate var shown: String {
    switch content {
    case .scalar(let scalar): scalar.text
    case .sequence(let items): "[" + items.map(\.shown).joined(separator: ", ") + "]"
    case .mapping(let entries):
      "{" + entries.map { "\($0.key): \($0.value.shown)" }.joined(separator: ", ") + "}"
    case .invalid: "?"
    }
  }
}
