import TaktCore
import Testing

@testable import TaktConfig

struct DisplayNameTests {
  @Test(arguments: ["Sicherung der Bücher", "夜间备份 🌙", "نسخ احتياطي", "a", "x: y # z"])
  func `any letters are a display name, and the name stays what it is`(text: String) throws {
    let job = try spec("on: start, run: x, display_name: '\(text)'")
    #expect(job.policies.displayName == text && job.shownName == text)
    #expect(job.name.text == "a")
    #expect(try spec("on: start, run: x").shownName == "a")
  }

  @Test(arguments: [
    "badValue | display_name: »''", "badValue | display_name: »'  '",
    "badValue | display_name: »\"a\\nb\"", "badValue | display_name: »\"a\\e[31mb\"",
    "badValue | display_name: »\"a\\u202eb\"", "wrongType | display_name: »[a]",
  ])
  func `a display name that hides or breaks something is an error`(row: String) throws {
    try check(badRow: row) { "jobs: {a: {on: start, run: x, " + $0 + "}}\n" }
  }

  @Test func `a display name has a bound in characters and in bytes`() throws {
    for (text, isGood) in [
      (String(repeating: "ü", count: 100), true), (String(repeating: "ü", count: 101), false),
      (String(repeating: "夜", count: 101), false), (String(repeating: "🌙", count: 100), true),
      ("e" + String(repeating: "\u{301}", count: 200), false),
    ] {
      let loaded = load("jobs: {a: {on: start, run: x, display_name: '\(text)'}}\n")
      #expect((loaded.snapshot != nil) == isGood, "\(text)")
    }
  }

  @Test func `jobs of a list have display names of their own, and defaults have none`() throws {
    let loaded = load(
      """
      jobs:
        copy:
          for_each: {disk: {a: {title: Erste}, b: {title: Zweite}}}
          display_name: "{{each.disk.title}} Kopie"
          on: start
          run: x
      """)
    #expect(loaded.diagnostics.map(\.headline) == [])
    #expect(loaded.snapshot?.jobs.map(\.shownName) == ["Erste Kopie", "Zweite Kopie"])
    let wrong = load("defaults: {display_name: x}\njobs: {a: {on: start, run: x}}\n")
    #expect(wrong.snapshot == nil)
  }
}
