import Glibc
import TaktTesting
import Testing

@testable import TaktConfig

/// Mistakes in commands and shells.
extension CheckedMistakesTests {
  @Test(arguments: [
    "on_failure:\n    run: echo \"issue »#5 fixed\" => '#' starts a comment here, which ends the "
      + "text before it in 'defaults'; put the whole text in quotes, or below 'run: |'",
    "on_failure: {run: »no-such x} => the program 'no-such' is in no folder of PATH in "
      + "'defaults'; install it, correct its name, or write its full path",
    "only_if: [»'echo a | cat'] => a list runs without a shell: 'echo a | cat' is the name of a "
      + "program in 'defaults'; write it without brackets: run: \"echo a | cat\"",
    "on_success: [{use: log}, {run: »'echo {{job}}'}] => '{{job}}' is not replaced in a command; "
      + "use the variable $TAKT_JOB",
  ])
  func `a command of defaults is a warning once, in its place`(row: String) throws {
    let parts = row.split(separator: " => ").map(String.init)
    try check(
      "warning suspicious | defaults:\n  \(parts[0])\njobs:\n  a: {every: 1h, run: echo}\n"
        + "  b: {every: 1h, run: echo} => \(parts[1])")
  }

  @Test func `a command of defaults that no job calls is none`() {
    let text = "defaults: {on_failure: {run: no-such}, only_if: [no-such]}\n"
    let own = "on_failure: {run: echo}, only_if: null"
    #expect(load(text + "jobs: {a: {every: 1h, run: echo, \(own)}}\n").diagnostics == [])
  }

  /// The shell, its mistake, and the correct list.
  @Test(arguments: [
    "[/bin/sh, -e] | '/bin/sh' takes a command only after '-c' | [/bin/sh, -e, -c]",
    "perl | 'perl' takes a command only after '-e' | [perl, -e]",
    "[bash, --login] | 'bash' takes a command only after '-c' | [bash, --login, -c]",
    "[bash, -e, --norc] | 'bash' takes a command only after '-c' | [bash, --norc, -e, -c]",
    "[/usr/bin/env, A=b, sh] | 'sh' takes a command only after '-c' | [/usr/bin/env, A=b, sh, -c]",
    "[nice, -n, '5', sh] | 'sh' takes a command only after '-c' | [nice, -n, 5, sh, -c]",
    "[stdbuf, -oL, bash] | 'bash' takes a command only after '-c' | [stdbuf, -oL, bash, -c]",
    "[timeout, 1m, perl, -Mutf] | 'perl' takes a command only after '-e' | [timeout, 1m, perl, -Mutf, -e]",
    "[perl, -e, -w] | 'perl' runs '-w', the text after '-e', instead of the command | [perl, -w, -e]",
  ])
  func `a shell that would not run the command is a warning`(row: String) throws {
    let parts = row.split(separator: " | ").map(String.init)
    try checkKeys(
      "warning suspicious | every: 1h\\nshell: »\(parts[0])\\nrun: echo => \(parts[1]) in job 'a'; "
        + "write shell: \(parts[2])")
  }

  @Test(arguments: [
    "[bash, -c, 'set -e;'] | bash | set -e; | -c | [bash, -c]",
    "[env, perl, -we, 'use strict'] | perl | use strict | -e | [env, perl, -we]",
  ])
  func `a shell that has a text of its own is a warning`(row: String) throws {
    let parts = row.split(separator: " | ").map(String.init)
    try checkKeys(
      "warning suspicious | every: 1h\\nshell: »\(parts[0])\\nrun: echo => '\(parts[1])' runs "
        + "'\(parts[2])', the text after '\(parts[3])', instead of the command in job 'a'; "
        + "write shell: \(parts[4]), and start the command with that text")
  }

  @Test(arguments: [
    "[/bin/sh, -ec]", "[/bin/sh, -o, errexit, -c]", "[perl, -e]", "[env, sh, -ec]", "[sh, -c, -e]",
    "[bash, --norc, -euo, pipefail, -c]", "[nice, '-5', sh, -c]", "[perl, -Mstrict, -lne]",
    "[bash, -c, 'exec \"$@\"', --]", "[sh, -c, 'sh -c \"$0\"']", "[perl, -e, 'eval shift']",
    "[sh, /dev/null]",
  ])
  func `a shell that takes its text is none`(shell: String) {
    #expect(load("jobs: {a: {every: 1h, shell: \(shell), run: echo}}\n").diagnostics == [])
  }

  static let long = String(repeating: "x", count: 128 << 10)

  @Test(arguments: [
    "run: »echo LONG => the command", "run: [echo, »LONG] => an argument",
    "run: echo\\nenv: {A: »LONG} => the variable 'A'",
  ])
  func `what is longer than Linux passes in one text is a warning`(row: String) throws {
    let parts = row.split(separator: " => ").map(String.init)
    let place = parts[0].replacing("LONG", with: Self.long)
    try checkKeys(
      "warning suspicious | every: 1h\\n\(place) => \(parts[1]) is longer than 128KB, the most that "
        + "Linux passes to a program as one text in job 'a'; "
        + (parts[1].hasSuffix("'A'")
          ? "put the value in a file, and set the variable to its path"
          : "put it in a file, and run or name that"))
    // One byte fewer fits, with the zero at its end and the name.
    let besides = ["the variable 'A'": "A==".count, "the command": "echo +".count]
    let short = String(Self.long.dropLast(besides[parts[1]] ?? 1))
    let keys = parts[0].replacing("LONG", with: short).replacing("»", with: "")
    #expect(
      load("jobs:\n  a:\n    every: 1h\n    \(keys.replacing("\\n", with: "\n    "))\n").diagnostics
        == [])
  }

  @Test func `an environment that is larger than Linux passes is a warning`() throws {
    let variables = (0..<17).map { "A\($0): \(Self.long.dropLast(9))" }.joined(separator: ", ")
    try checkKeys(
      "warning suspicious | every: 1h\\nrun: echo\\nenv: »{\(variables)} => the environment is larger "
        + "than 2MB, the most that Linux passes to a program in job 'a'; "
        + "put long values in files, and set variables to their paths")
  }

  @Test(arguments: [
    (
      "#!/bin/sh\r\necho\r\n", "has Windows line ends: its '#!' line ends with a carriage return",
      "save it with Unix line ends, as dos2unix does", true
    ),
    (
      "#!/no/such/sh -e\necho\n", "names the interpreter '/no/such/sh', which does not exist",
      "install it, or correct the '#!' line", true
    ),
    (
      "\u{feff}#!/bin/sh\necho\n", "starts with a byte order mark, which hides its '#!' line",
      "save it as UTF-8 without a byte order mark", true
    ),
    (
      "echo\n", "is a text without a '#!' line",
      "start it with '#!/bin/sh', or name its interpreter before it", false
    ),
    ("", "is empty", "write the program", false),
  ])
  func `a script that the system cannot execute is a warning`(
    text: String, words: String, hint: String, isForShell: Bool
  ) throws {
    folder.write(Array(text.utf8), to: "script", mode: 0o755)
    let rest = "the program 'FOLDER/script' \(words) in job 'a'; \(hint)"
    try checkKeys("warning suspicious | every: 1h\\nrun: [»./script, x] => \(rest)")
    // A shell reads a text without such a line by itself.
    if isForShell {
      try checkKeys("warning suspicious | every: 1h\\nrun: »FOLDER/script x => \(rest)")
    } else {
      #expect(load("jobs: {a: {every: 1h, run: ./script x}}\n").diagnostics == [])
    }
  }

  @Test(arguments: ["#!/bin/sh\necho\n", "#! /bin/sh -e\necho\n", "MZ\0\0", "#!bin/../script\n"])
  func `a program that the system may execute is none`(text: String) {
    folder.makeFolder("bin")
    folder.write(Array(text.utf8), to: "script", mode: 0o755)
    #expect(load("jobs: {a: {every: 1h, run: [./script]}}\n").diagnostics == [])
  }
}
