import Foundation
import Glibc
import TaktCore
import TaktTesting
import TaktTime
import Testing

@testable import TaktConfig

/// Mistakes that were silent, or named something else: each with its place, what is said, and what to
/// do about it.
@Suite struct CheckedMistakesTests {
  let folder = TemporaryFolder()

  func load(
    _ text: String, zones: any ZoneSource = NamedZones(),
    accounts: any AccountSource = TestAccounts(own: "root")
  ) -> LoadedJobs {
    JobsLoader(
      catalogue: TestCatalogue(), zones: zones, accounts: accounts, time: SystemTimeSource(),
      userID: 0, refusesWritableByOthers: false
    ).load(path: folder.write(text, to: "jobs.yaml"), isThorough: true)
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
    // It has the bracket that ends the text, too.
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

  // MARK: - Users and limits

  /// `worker` with a number that owns no folder here.
  private struct Strangers: AccountSource {
    func account(for identity: UserAndGroup) -> Account? {
      guard let user = identity.user, user != "root" else {
        return TestAccounts(own: "root").account(for: identity)
      }
      return Account(
        name: user, uid: 54_321, gid: 54_321, groups: [54_321], home: "/", shell: "/bin/sh")
    }
  }

  @Test func `a folder that the job's user cannot enter is a warning`() throws {
    let rest = "in job 'a'; name a folder that this user can enter, such as cwd: /"
    try checkKeys(
      "warning suspicious | every: 1h\\nrun: echo\\nuser: »worker => the user 'worker' cannot enter "
        + "the 'cwd' 'FOLDER', which is the folder of the jobs file \(rest)", accounts: Strangers())
    folder.makeFolder("open")
    try checkKeys(
      "warning suspicious | every: 1h\\nrun: echo\\nuser: worker\\ncwd: »FOLDER/open => the user "
        + "'worker' cannot enter the 'cwd' 'FOLDER/open': 'FOLDER' is closed to that user \(rest)",
      accounts: Strangers())
    chmod(folder.path, 0o711)
    #expect(
      load("jobs: {a: {every: 1h, run: echo, user: worker}}\n", accounts: Strangers()).diagnostics
        == [])
  }

  @Test func `a program that the job's user cannot execute is a warning`() throws {
    let script = folder.write(Array("#!/bin/sh\n".utf8), to: "script", mode: 0o755)
    let commands = [
      ("program", "run: [»FOLDER/script]"), ("program", "run: »FOLDER/script x"),
      ("shell", "run: echo\\nshell: »[FOLDER/script, -c]"),
    ]
    func check(_ rest: String) throws {
      for (noun, keys) in commands {
        try checkKeys(
          "warning suspicious | every: 1h\\nuser: worker\\ncwd: /\\n\(keys) => the user 'worker' "
            + "cannot execute the \(noun) 'FOLDER/script'\(rest)", accounts: Strangers())
      }
    }
    try check(
      ": 'FOLDER' is closed to that user in job 'a'; move it to a folder that this user can enter")
    chmod(folder.path, 0o711)
    chmod(script, 0o700)
    try check(" in job 'a'; run: chmod o+rx FOLDER/script")
    chmod(script, 0o755)
    let text = "jobs: {a: {every: 1h, run: [\(script)], user: worker, cwd: /}}\n"
    #expect(load(text, accounts: Strangers()).diagnostics == [])
    // It is said once that the folder is closed.
    chmod(folder.path, 0o700)
    let relative = "jobs: {a: {every: 1h, run: [./script], user: worker}}\n"
    #expect(load(relative, accounts: Strangers()).diagnostics.count == 1)
  }

  @Test(arguments: [
    "cwd: »/no/such => the 'cwd' '/no/such' does not exist in 'defaults'; "
      + "create it: mkdir -p /no/such",
    "secrets: {»PW: {file: /no/such}} => the file of the secret 'PW' does not exist in 'defaults'; "
      + "create it, or correct 'file'",
    "shell: »perl => 'perl' takes a command only after '-e' in 'defaults'; write shell: [perl, -e]",
    "env: {A: »LONG} => the variable 'A' is longer than 128KB, the most that Linux passes to a "
      + "program as one text in 'defaults'; put the value in a file, and set the variable to its path",
    "user: »worker => the user 'worker' cannot enter the 'cwd' 'FOLDER', which is the folder of the "
      + "jobs file in 'defaults'; name a folder that this user can enter, such as cwd: /",
  ])
  func `a value from defaults is marked where it is, and once for all jobs`(row: String) throws {
    let parts = row.split(separator: " => ").map(String.init)
    let keys = parts[0].replacing("LONG", with: Self.long)
    try check(
      "warning suspicious | defaults:\n  \(keys)\njobs: {a: {every: 1h, run: echo}, "
        + "b: {every: 2h, run: echo}} => \(parts[1])", accounts: Strangers())
  }

  @Test func `a secret that everybody can read is a warning`() throws {
    folder.write("hunter2", to: "secret")
    let keys = "every: 1h\\nrun: echo\\nsecrets: {»A: {file: FOLDER/secret}}"
    // Nobody else gets as far as the file.
    let text = "jobs:\n  a:\n    \(keys.replacing("\\n", with: "\n    "))\n"
      .replacing("»", with: "").replacing("FOLDER", with: folder.path)
    #expect(load(text).diagnostics == [])
    chmod(folder.path, 0o755)
    try checkKeys(
      "warning suspicious | \(keys) => every user of this machine can read the file of the secret "
        + "'A' in job 'a'; run: chmod o-r FOLDER/secret")
    chmod(folder["secret"], 0o640)
    #expect(load(text).diagnostics == [])
  }

  @Test func `a limit of address space is a warning for programs that reserve much of it`() throws {
    folder.write(Array("#!/bin/sh\n".utf8), to: "java", mode: 0o755)
    // As far as the linker of Go can be told from its note.
    let head: [UInt8] = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 93)
    folder.write(head + [4, 0, 0, 0, 0x47, 0x6f, 0, 0], to: "tool", mode: 0o755)
    folder.write(Array("#!/usr/bin/env -S java -server\n".utf8), to: "script", mode: 0o755)
    for (name, command) in [
      ("java", "./java -jar x.jar"), ("tool", "[./tool]"), ("java", "nice -n 5 env A=b ./java x"),
      ("java", "[stdbuf, -oL, ./java]"), ("java", "cd / && FOLDER/java x"), ("java", "[./script]"),
      ("java", "FOLDER/script \"a b\""), ("java", "x\\nshell: [./java, -e]"),
    ] {
      try checkKeys(
        "warning suspicious | every: 1h\\nrun: \(command)\\nlimits: {memory: »512MB} => 'memory' "
          + "limits address space, of which '\(name)' reserves much more than it uses: it may not "
          + "start with 512MB in 'limits' of job 'a'; use 'memory_max', which limits the memory in use"
      )
    }
    for command in ["echo java", "cd /tmp && ./java", "java() { echo; }; java x"] {
      let text = "jobs: {a: {every: 1h, run: '\(command)', limits: {memory: 512MB}}}\n"
      #expect(load(text).diagnostics == [])
    }
    try check(
      "warning suspicious | defaults: {limits: {memory: »512MB}}\njobs:\n"
        + "  a: {every: 1h, run: ./java x}\n  b: {every: 2h, run: [./java]} => 'memory' limits address "
        + "space, of which 'java' reserves much more than it uses: it may not start with 512MB in "
        + "'limits' of 'defaults'; use 'memory_max', which limits the memory in use")
  }

  // MARK: - Names

  @Test(arguments: [
    ("slack", "write use: notify, with: {to: slack, …}"), ("email", "did you mean 'mail'?"),
    ("Shell", "use 'run' for a command"), ("healthcheck", "did you mean 'ping'?"),
  ])
  func `a service is answered with the built-in that talks to it`(name: String, hint: String) throws
  {
    try checkKeys(
      "error unknownAction | every: 1h\\nuse: »\(name) => there is no built-in or plugin '\(name)'; "
        + hint)
  }

  @Test func `a parameter that may be meant as it is makes a warning`() throws {
    try checkKeys(
      "warning suspicious | every: 1h\\nuse: mail\\nwith: {to: »root, subject: x} => "
        + "the action 'mail': 'root' has no host; ")
  }

  @Test(arguments: [
    "EST => 'EST' is UTC-5 all year, without daylight saving time; "
      + "write America/New_York, or America/Panama if this is meant",
    "MST => 'MST' is UTC-7 all year, without daylight saving time; "
      + "write America/Denver, or America/Phoenix if this is meant",
    "HST => 'HST' is UTC-10 all year, without daylight saving time; write Pacific/Honolulu",
    "Etc/GMT+2 => 'Etc/GMT+2' is UTC-2: names of this kind have the opposite sign; for UTC+2, write "
      + "Etc/GMT-2; for the time of a place, a name such as Europe/Berlin",
    "Etc/GMT-3 => 'Etc/GMT-3' is UTC+3: names of this kind have the opposite sign; for UTC-3, write "
      + "Etc/GMT+3; for the time of a place, a name such as Europe/Berlin",
  ])
  func `a zone that is not what its name says is a warning`(row: String) throws {
    let parts = row.split(separator: " => ").map(String.init)
    try checkKeys(
      "warning suspicious | cron: '@daily'\\nrun: echo\\ntimezone: »\(parts[0]) => \(parts[1])",
      zones: AnyZones())
    try check(
      "warning suspicious | scheduler: {timezone: »\(parts[0])}\njobs: {a: {every: 1h, run: echo}} => "
        + parts[1], zones: AnyZones())
  }

  @Test(arguments: ["Etc/GMT", "Etc/GMT+0", "Europe/Berlin", "UTC", "EST5EDT", "CET"])
  func `a zone that is what its name says is none`(name: String) {
    let text = "jobs: {a: {cron: '@daily', run: echo, timezone: \(name)}}\n"
    #expect(load(text, zones: AnyZones()).diagnostics == [])
  }

  @Test(arguments: [
    "GMT+2 => write a name such as Europe/Berlin, or Etc/GMT-2, which is UTC+2 all year",
    "UTC-11 => write a name such as Europe/Berlin, or Etc/GMT+11, which is UTC-11 all year",
    "'+02:00' => write a name such as Europe/Berlin, or Etc/GMT-2, which is UTC+2 all year",
    "'-0300' => write a name such as Europe/Berlin, or Etc/GMT+3, which is UTC-3 all year",
    "'+05:30' => write the name of a zone with this offset, such as Asia/Kolkata",
    "Z => write UTC", "'+00:00' => write UTC",
    "est => write America/New_York, or America/Panama if this is meant",
    "PST => abbreviations are ambiguous; write a name such as America/Los_Angeles",
  ])
  func `an offset in place of a zone is answered with a zone`(row: String) throws {
    let parts = row.split(separator: " => ").map(String.init)
    let name = parts[0].replacing("'", with: "")
    try checkKeys(
      "error unknownZone | cron: '@daily'\\nrun: echo\\ntimezone: »\(parts[0]) => there is no time "
        + "zone '\(name)'; \(parts[1])")
  }

  @Test func `a zone of a rrule that is not what its name says is a warning`() throws {
    try checkKeys(
      "warning suspicious | rrule: »DTSTART;TZID=HST:20260105T090000 RRULE:FREQ=DAILY\\nrun: echo => "
        + "'HST' is UTC-10 all year, without daylight saving time; write Pacific/Honolulu",
      zones: AnyZones())
  }

  private static let noZoneFiles =
    "this machine has no time zone files; install the package tzdata"

  @Test(arguments: ["Europe/Berlin", "GMT+2", "PST"])
  func `a machine without zone files is named`(zone: String) throws {
    try checkKeys(
      "error unknownZone | cron: '@daily'\\nrun: echo\\ntimezone: »\(zone) => there is no time "
        + "zone '\(zone)'; \(Self.noZoneFiles)", zones: NoZones())
  }

  @Test func `a machine without zone files is named to a calendar file and to TZ`() {
    folder.write(
      "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART;TZID=Europe/Berlin:20300101T090000\r\n"
        + "END:VEVENT\r\nEND:VCALENDAR\r\n", to: "days.ics")
    let jobs = "jobs: {a: {every: 1h, run: echo}}\n"
    let event = load("calendars: {days: {file: days.ics}}\n" + jobs, zones: NoZones()).diagnostics
    #expect(
      event.contains {
        $0.message.contains("no time zone 'Europe/Berlin'") && $0.hint == Self.noZoneFiles
      })
    let local = load(jobs, zones: NoZones(localFlaw: "the variable TZ is 'Europe/Berlin'"))
    #expect(local.diagnostics.map(\.hint) == [Self.noZoneFiles])
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

/// Every name is a zone.
private struct AnyZones: ZoneSource {
  let zoneNames = ["UTC", "Europe/Berlin"]

  func zone(named name: String) -> Zone? { .utc }
}

/// What a machine without zone files has.
private struct NoZones: ZoneSource {
  let zoneNames = ["UTC", "local"]
  var localFlaw: String?

  func zone(named name: String) -> Zone? { ["UTC", "local"].contains(name) ? .utc : nil }
}
