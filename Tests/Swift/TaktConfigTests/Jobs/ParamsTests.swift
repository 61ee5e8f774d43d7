import TaktCore
import TaktTesting
import Testing

@testable import TaktConfig

/// `params` in jobs files, which declare the values that a trigger may set.
@Suite struct ParamsTests {
  private func params(_ keys: String) throws -> [String] {
    try spec(keys).policies.params.map { "\($0.schema.name): \($0.phrase)" }
  }

  @Test func `a parameter of an action has its type, and bounds narrow it`() throws {
    #expect(
      try params(
        """
        on: start, use: all, params: {text: {max_length: 9, pattern: '[a-z]+'}, count: {min: 2},
        wait: {max: 1m}, word: {choices: [a]}, texts: {}, share: {min: 5%, max: 10%}}
        """) == [
          "text: string, up to 9 characters, matching [a-z]+", "count: integer, at least 2",
          "wait: duration, at most 1m", "word: a", "texts: string",
          "share: percent, 5% to 10%",
        ])
  }

  @Test func `a parameter of a command is a text unless its type is given`() throws {
    let spec = try spec(
      """
      on: start, run: x, params: {month: {default: 2026-01}, n: {type: integer, max: 3, default: 2},
      wait: {type: duration}}
      """)
    #expect(spec.policies.params.map(\.phrase) == ["string", "integer, at most 3", "duration"])
    #expect(
      spec.execution.environment == [
        "TAKT_PARAM_MONTH": "2026-01", "TAKT_PARAM_N": "2",
      ])
  }

  @Test func `the default of a parameter stands for a value under with`() throws {
    let given = try spec("on: start, use: log, params: {message: {default: hello}}")
    #expect(given.action == .use("log", ["message": .string("hello"), "level": .string("info")]))
    #expect(given.policies.params[0].schema.defaultValue == .string("hello"))
    // A required parameter with a default counts as given.
    _ = try spec("on: start, use: mail, with: {to: a}, params: {subject: {default: x}}")
  }

  @Test(arguments: [
    "unknownParameter | use: log, params: {»mesage: {}}",
    "badParameter | use: fetch, with: {url: 'http://h'}, params: {»url: {}}",
    "badParameter | use: all, params: {»path: {}}", "badParameter | use: all, params: {»paths: {}}",
    "badParameter | use: all, params: {»headers: {}}",
    "badParameter | use: all, params: {»maps: {}}",
    "badParameter | use: all, params: {text: {type: »integer}}",
    "badParameter | use: all, params: {count: {max: 3, default: »4}}",
    "outOfRange | use: all, params: {count: {min: »0}}",
    "outOfRange | use: all, params: {count: {min: 5, max: »4}}",
    "badChoice | use: all, params: {word: {choices: [»c]}}",
    "conflictingKeys | use: all, params: {text: {»min: 1}}",
    "conflictingKeys | use: all, params: {count: {»pattern: x}}",
    "conflictingKeys | use: all, with: {count: 2}, params: {count: {»default: 3}}",
    "unknownKey | use: all, params: {text: {»maximum: 1}}",
    "wrongType | use: all, params: {text: »string}",
    "badName | run: x, params: {»a-b: {}}", "badName | run: x, params: {a: {}, »A: {}}",
    "badParameter | run: x, params: {a: {choices: [b, c], default: »d}}",
    "badNumber | run: x, params: {n: {type: integer, default: »x}}",
    "badChoice | run: x, params: {n: {type: »path}}",
  ])
  func `a mistake is reported at its place`(row: String) throws {
    try check(badRow: row) { "jobs: {a: {on: start, \($0)}}\n" }
  }

  @Test func `what a parameter reaches is said, with what to do`() throws {
    let loaded = load(
      "jobs: {a: {on: start, use: ping, with: {url: 'http://h'}, params: {url: {}}}}\n")
    #expect(
      loaded.diagnostics.map(\.headline).first?.hasSuffix(
        "error: 'url' of 'ping' reaches an address, so it cannot be set over TCP; write a job for "
          + "each value; 'takt trigger' on the daemon's machine can set it without 'params'")
        == true, "\(loaded.diagnostics.map(\.headline))")
  }

  @Test func `a parameter of a plugin is opened only if its manifest says that it reaches nothing`()
    throws
  {
    let folder = TemporaryFolder()
    for name in ["plugins", "plugins/greet"] { folder.makeFolder(name) }
    folder.write(
      """
      name: greet
      version: 1.0.0
      protocol: 1
      exec: [sh]
      parameters:
        who: {type: string, reaches: nothing}
        url: {type: string, reaches: address}
        any: {type: string}
        file: {type: path, reaches: nothing}
      """, to: "plugins/greet/plugin.yaml")
    for (name, message) in [
      ("who", nil), ("url", "'url' of 'greet' reaches an address, so it cannot be set over TCP"),
      (
        "any", "the plugin does not say what 'any' of 'greet' reaches, so it cannot be set over TCP"
      ),
      ("file", "'file' of 'greet' reaches a path, so it cannot be set over TCP"),
    ] as [(String, String?)] {
      let path = folder.write(
        "jobs: {a: {on: start, use: greet, params: {\(name): {}}}}\n", to: "jobs.yaml")
      let loaded = loader.load(path: path)
      #expect(loaded.diagnostics.map(\.message) == (message.map { [$0] } ?? []), "\(name)")
    }
  }

  @Test(arguments: [
    "http://h/{{slot}} | ok", "http://h?x={{run}} | ok", "http://{{job}}.example.org/ | ok",
    "{{secret.base}}/{{run}} | ok", "{{secret.url}} | ok", "http://h.{{run}}/ | refused",
    "{{slot}} | refused", "http://h:{{attempt}}/ | refused", "{{run}}://h/ | refused",
    "http:{{run}}/x | refused",
  ])
  func `a placeholder changes neither the scheme nor the host of a URL`(row: String) throws {
    let parts = row.split(separator: " | ").map(String.init)
    let loaded = load(
      "jobs: {a: {on: start, use: fetch, with: {url: '\(parts[0])'}, "
        + "secrets: {base: {env: A}, url: {env: B}}}}\n")
    #expect(
      loaded.diagnostics.map(\.code) == (parts[1] == "ok" ? [] : [.badPlaceholder]),
      "\(loaded.diagnostics.map(\.headline))")
  }
}
