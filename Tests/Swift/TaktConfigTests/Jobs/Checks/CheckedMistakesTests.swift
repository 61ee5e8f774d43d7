import Foundation
import Glibc
import TaktCore
import TaktTesting
import TaktTime
import Testing

@testable import TaktConfig

/// Mistakes that were silent, or got a misleading message: each with its place, its message and its
/// hint.
@Suite struct CheckedMistakesTests {
  let folder = TemporaryFolder()

  func load(
    _ text: String, zones: any ZoneSource = NamedZones(),
    accounts: any AccountSource = TestAccounts(own: "root")
  ) -> LoadedJobs {
    JobsLoader(zones: zones, accounts: accounts).load(
      path: folder.write(text, to: "jobs.yaml"), isThorough: true)
  }

  /// `severity code | file, » before the place => message; hint`, with the folder's path as FOLDER.
  func check(
    _ row: String, zones: any ZoneSource = NamedZones(),
    accounts: any AccountSource = TestAccounts(own: "root")
  ) throws {
    let parts = row.split(separator: " | ", maxSplits: 1).map(String.init)
    let arrow = try #require(parts[1].range(of: " => "))
    let text = String(parts[1][..<arrow.lowerBound])
    let marked = MarkedText(text.replacing("FOLDER", with: folder.path))
    let loaded = load(marked.text + "\n", zones: zones, accounts: accounts)
    let found = loaded.diagnostics.map { diagnostic in
      let place = "\(diagnostic.location.line):\(diagnostic.location.column)"
      let words = "\(diagnostic.message); \(diagnostic.hint ?? "")"
      return "\(place) \(diagnostic.severity) \(diagnostic.code) \(words)"
        .replacing(folder.path, with: "FOLDER")
    }
    let place = try #require(marked.places.first)
    #expect(found == ["\(place) \(parts[0]) \(parts[1][arrow.upperBound...])"], "\(marked.text)")
    #expect((loaded.snapshot == nil) == parts[0].hasPrefix("error"))
  }

  func checkKeys(
    _ row: String, zones: any ZoneSource = NamedZones(),
    accounts: any AccountSource = TestAccounts(own: "root")
  ) throws {
    try check(
      row.replacing(" | ", with: " | jobs:\n  a:\n    ").replacing("\\n", with: "\n    "),
      zones: zones, accounts: accounts)
  }

  // MARK: - YAML

  @Test(arguments: [
    "warning suspicious | every: 1h\\nrun: echo \"issue »#5 fixed\"",
    "warning suspicious | every: 1h\\nrun: echo 'issue\\n  and issue »#5 fixed'",
    "warning suspicious | every: 1h\\nsteps:\\n  - run: cat -e \"a »# b\" x",
    "warning suspicious | every: 1h\\nrun: echo \"issue\\n  »#5 fixed\"",
    "warning suspicious | every: 1h\\nrun: echo \"issue\\n\\n  in words\\n\\n  »#5 fixed\"",
  ])
  func `a comment that cuts a command off within its quotes is a warning`(row: String) throws {
    try checkKeys(
      row + " => '#' starts a comment here, which ends the text before it in job 'a'; "
        + "put the whole text in quotes, or below 'run: |'")
  }

  @Test(arguments: [
    "run:\\n  - sh\\n  - -c\\n  - echo \"issue »#5 fixed\"",
    "run: echo\\nenv:\\n  A: say \"issue »#5 fixed\"",
    "run: echo\\nenv:\\n  A: say 'issue »#5 fixed'",
    "run: echo\\ndescription: the \"old »#1\" disk",
    "use: log\\nwith:\\n  message: say \"issue »#5 fixed\"",
    "run: echo\\non_failure:\\n  - use: log\\n    with:\\n      message: say \"issue »#5 fixed\"",
  ])
  func `a comment that cuts another text off within its quotes is a warning`(keys: String) throws {
    try checkKeys(
      "warning suspicious | every: 1h\\n\(keys) => '#' starts a comment here, which ends the text "
        + "before it in job 'a'; put the whole text in quotes")
  }

  @Test(arguments: [
    "description: Bob's disk # it's old", "env:\n      A: don't # we can't",
    "description: the \"old\" disk # of \"Bob\"",
  ])
  func `a comment behind a whole text is none of them`(keys: String) {
    #expect(load("jobs:\n  a:\n    every: 1h\n    run: echo\n    \(keys)\n").diagnostics == [])
  }

  @Test(arguments: [
    "run: echo \"issue »#5\\n  fixed\"", "run: echo one\\n  two »#5\\n  three",
    "run:\\n  echo one »#c\\n  three", "run:\\n  - one »#c\\n    three",
    "run: echo one »#c\\n\\n  three", "run: echo one »#c\\n  # two\\n  three",
    "run: echo one\\n  »# two\\n  three", "env:\\n  A: one »#c\\n    two",
    "run: echo one »#c\\n  three\\ntimeout: 1h",
    // It also has the bracket that ends the text.
    "only_if: {run: test \"a »#b\"}\\nrun: echo", "watch: {path: /a »#b}", "run: [echo, a »#b]",
    "env: {A: b »#c}",
  ])
  func `a comment that cuts a text off from its rest is named`(keys: String) throws {
    try checkKeys(
      "error syntax | every: 1h\\n\(keys) => '#' starts a comment here, which ends the text before "
        + "it; put the whole text in quotes")
  }

  @Test(arguments: ["", "\n  b: {every: 1h, run: echo}"])
  func `a comment that has the bracket of a job is named`(rest: String) throws {
    try check(
      "error syntax | jobs:\n  a: {every: 1h, run: echo a »#b}\(rest) => "
        + "'#' starts a comment here, which ends the text before it; put the whole text in quotes")
  }

  @Test(arguments: [
    "run: »\"/a b/c\" --x", "run: »'it's'", "run: »\"echo\"\\n  hi", "run:\\n  - »\"a\" b",
    "run: »\"a b\" && c", "run: »'a b' > c", "run: »\"a\" b: c", "only_if: {run: »\"a\" b}",
    "only_if: {run: »'a' b}", "run: [echo, »\"a\" b]", "env:\\n  A: »\"b\" c",
  ])
  func `a text that goes on behind its quotes is named`(keys: String) throws {
    try checkKeys(
      "error syntax | every: 1h\\n\(keys) => a text that starts with a quote ends at the next one; "
        + "put the whole text in the other kind of quotes")
  }

  @Test(arguments: [
    "every: 1h\\nrun: »[ -f /x ] || echo y => '[' starts a list here",
    "every: 1h\\nrun: »[ -f /x ] && echo y => '[' starts a list here",
    "every: 1h\\nrun: »[ -f /x ] ; echo y => '[' starts a list here",
    "every: 1h\\nsteps:\\n  - run: »[ -f /x ] > y => '[' starts a list here",
    "every: 1h\\nonly_if: {run: echo »{a,b}} => '{' is in a text without quotes here",
    "every: 1h\\nonly_if: {run: echo »[1] x} => '[' is in a text without quotes here",
  ])
  func `a bracket that is meant as a part of a text is named`(row: String) throws {
    try checkKeys("error syntax | \(row); put the whole text in quotes")
  }

  @Test(arguments: [
    "echo a # at night", "'echo \"issue #5 fixed\"'",
    "|\n      echo \"issue #5 fixed\"", "echo \"issue#5 fixed\"", "echo it\\'s # at night",
  ])
  func `a command that is whole is none of them`(command: String) {
    #expect(load("jobs:\n  a:\n    every: 1h\n    run: \(command)\n").diagnostics == [])
  }

  @Test(arguments: [
    "error syntax | jobs: {a: {every: 1h, run: echo»: hi}}",
    "error syntax | jobs: {a: {every: 1h, run: [echo, a: b»: c]}}",
    "error syntax | jobs: {a: {every: 1h, run: echo \"a»: b\", timeout: 1m}}",
    "error syntax | jobs: {a: {every: 1h, run: echo, env: {A: b»: c}}}",
  ])
  func `a colon in a text within braces is named`(row: String) throws {
    try check(row + " => unexpected ':'; put a text that contains ': ' in quotes")
  }

  @Test(arguments: [
    "error badSchedule | cron: »'0\u{a0}3 * * *'\\nrun: echo => a cron expression has 5, 6 or 7 fields, "
      + "not 4, at character 10 of '0<U+00A0>3 * * *' in job 'a'; "
      + "U+00A0 is not a plain space; write one instead",
    "error badSchedule | calendar: »'Mon\u{202f}09:00'\\nrun: echo => unexpected '<U+202F>', at "
      + "character 4 of 'Mon<U+202F>09:00' in job 'a'; U+202F is not a plain space; write one instead",
    "error badDuration | every: »5\u{a0}m\\nrun: echo => '5<U+00A0>m' is not a duration; "
      + "U+00A0 is not a plain space; write one instead",
    "error unknownZone | cron: '@daily'\\nrun: echo\\ntimezone: »Europe/Berlin\u{200b} => "
      + "there is no time zone 'Europe/Berlin<U+200B>'; remove U+200B",
    "error badChoice | every: 1h\\nrun: echo\\noverlap: »skip\u{a0} => 'overlap' must be one of skip, "
      + "queue, replace, allow, not 'skip<U+00A0>'; did you mean 'skip'?",
  ])
  func `an invisible character is named`(row: String) throws { try checkKeys(row) }

  @Test(arguments: ["\u{a0}", "\u{2003}", "\u{2009}", "\u{3000}"])
  func `a space that is not a plain one is named`(space: String) throws {
    let code = try #require(space.unicodeScalars.first).code
    let hint = "\(code) is not a plain space; write one instead"
    try checkKeys(
      "error badSchedule | cron: »'0\(space)3 * * *'\\nrun: echo => a cron expression has 5, 6 or 7 "
        + "fields, not 4, at character 10 of '0<\(code)>3 * * *' in job 'a'; \(hint)")
    try checkKeys(
      "error badDuration | every: »5\(space)m\\nrun: echo => '5<\(code)>m' is not a duration; \(hint)"
    )
    try checkKeys(
      "error unknownZone | cron: '@daily'\\nrun: echo\\ntimezone: »Europe/Berlin\(space) => "
        + "there is no time zone 'Europe/Berlin<\(code)>'; \(hint)")
    try checkKeys(
      "warning suspicious | every: 1h\\nrun: »echo\(space)a => "
        + "the command has an invisible character, \(code) in job 'a'; \(hint)")
  }

  @Test(arguments: ["", "# nothing here yet\n", "---\n", "\n\n"])
  func `an included file may be empty`(text: String) {
    folder.write(text, to: "more.yaml")
    let loaded = load("include: more.yaml\njobs: {a: {every: 1h, run: echo}}\n")
    #expect(loaded.diagnostics == [])
    #expect(loaded.snapshot?.names == ["a"])
  }

  // MARK: - Files

  @Test func `a file without a name any more is named`() throws {
    let path = folder.write("jobs: {a: {every: 1h, run: echo}}\n", to: "mounted.yaml")
    let file = open(path, O_RDONLY | O_CLOEXEC)
    try #require(file >= 0)
    defer { close(file) }
    #expect(loader.load(path: "/proc/self/fd/\(file)").diagnostics == [])
    unlink(path)
    let loaded = loader.load(path: "/proc/self/fd/\(file)")
    #expect(
      loaded.diagnostics.map(\.headline) == [
        "/proc/self/fd/\(file): warning: this file has been replaced or deleted since it was mounted; "
          + "takt reads the old one; mount its folder instead of the file, or restart the container"
      ])
    #expect(loaded.snapshot?.names == ["a"])
  }
}

/// Two zones of many.
private struct NamedZones: ZoneSource {
  let zoneNames = ["UTC", "local", "Europe/Berlin", "NZ", "GMT+0"]

  func zone(named name: String) -> Zone? { ["UTC", "local"].contains(name) ? .utc : nil }
}
