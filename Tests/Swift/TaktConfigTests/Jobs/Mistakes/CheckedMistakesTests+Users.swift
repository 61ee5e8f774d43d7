import Glibc
import TaktCore
import TaktTesting
import Testing

@testable import TaktConfig

/// Mistakes with users, rights and limits.
extension CheckedMistakesTests {
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
    // The closed folder is reported once.
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
    // Other users cannot reach the file.
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
    // Enough of Go's note about its linker.
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
}
