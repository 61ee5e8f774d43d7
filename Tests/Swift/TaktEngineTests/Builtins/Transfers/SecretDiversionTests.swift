import Foundation
import TaktCore
import Testing

@testable import TaktEngine

/// A trigger never diverts a secret, in any way.
@Suite struct SecretDiversionTests {
  private let registry = BuiltinRegistry.standard

  /// Calls with a secret of the job in a text, or with a credential of the jobs file.
  private static let calls: [(String, Parameters)] = [
    ("http", ["url": "http://127.0.0.1:9/{{secret.A}}"]),
    ("http", ["url": "http://127.0.0.1:9/", "body": "{{secret.A}}"]),
    ("http", ["url": "http://127.0.0.1:9/", "body": "{{secret.A|json}}"]),
    ("http", ["url": "http://127.0.0.1:9/", "headers": .map(["x-key": "{{secret.A}}"])]),
    ("http", ["url": "http://127.0.0.1:9/", "user": "u", "password": "{{secret.A}}"]),
    (
      "mail",
      [
        "host": "127.0.0.1", "port": .integer(9), "from": "a@b", "to": .list(["a@b"]),
        "subject": "{{secret.A}}",
      ]
    ),
    ("ping", ["url": "http://127.0.0.1:9/{{secret.A}}", "retries": .integer(0)]),
    (
      "notify",
      ["to": "ntfy", "url": "http://127.0.0.1:9/t", "token": "pw", "retries": .integer(0)]
    ),
  ]

  @Test func `each parameter that leads elsewhere keeps the secrets of its call back`() async throws
  {
    let bench = try BuiltinBench()
    for (action, parameters) in Self.calls {
      let schemas = registry.parameters(of: action) ?? []
      for schema in schemas where parameters[schema.name]?.string.contains("secret") != true {
        if schema.isSecret || schema.kind == .map(.string) { continue }
        var request = bench.request(action, parameters) {
          $0.execution.secrets = ["A": Secret(.environment("PATH"))]
        }
        request.given = [schema.name]
        bench.router.start([request])
        let result = await bench.ends(1)[0].report.result
        let hasText = parameters.values.contains { !Placeholders.secrets(in: $0).isEmpty }
        let isHarmless = schema.reach == .nothing || (schema.reach == .user && !hasText)
        #expect(
          (result == .failed("secret_diverted")) == !isHarmless,
          "\(action) \(schema.name): \(result)")
      }
    }
    #expect(bench.lines.texts.contains { $0.hasPrefix("the trigger has set 'url', which decides") })
  }

  /// The core, which masks what is shown of a job, does not see the registry.
  @Test func `a plan masks the parameters that a built-in calls secret, and no others`() {
    for action in registry.actionNames {
      let secret = (registry.parameters(of: action) ?? []).filter(\.isSecret).map(\.name)
      #expect(SensitiveText.parameters(of: action) == Set(secret), "\(action)")
    }
  }

  @Test func `what is a secret, and what leads elsewhere`() {
    let schemas = [
      ParameterSchema("url", .url, reaches: .address, summary: ""),
      ParameterSchema("to", .string, reaches: .user, summary: ""),
      ParameterSchema("text", .string, reaches: .nothing, summary: ""),
      ParameterSchema("any", .string, reaches: nil, summary: ""),
      ParameterSchema("password", .string, reaches: .header, isSecret: true, summary: ""),
    ]
    let secret: Parameters = ["text": "{{secret.A}}", "url": "http://h/"]
    let credential: Parameters = ["text": "x", "password": "pw", "url": "http://h/"]
    #expect(schemas.diversion(of: secret, given: []) == nil)
    #expect(schemas.diversion(of: secret, given: ["url"]) == "url")
    #expect(schemas.diversion(of: secret, given: ["to"]) == "to")
    #expect(schemas.diversion(of: secret, given: ["any"]) == "any")
    // A credential belongs to its server, for any receiver of the message.
    #expect(schemas.diversion(of: credential, given: ["to"]) == nil)
    #expect(schemas.diversion(of: credential, given: ["url"]) == "url")
    #expect(schemas.diversion(of: credential, given: ["any"]) == "any")
    // Credentials of the trigger are its own.
    #expect(schemas.diversion(of: credential, given: ["url", "password"]) == nil)
    #expect(schemas.diversion(of: ["url": "http://h/"], given: ["url"]) == nil)
    #expect(schemas.diversion(of: [:], given: ["url"], hasMore: true) == "url")
    #expect(schemas.diversion(of: [:], given: ["text"], hasMore: true) == nil)
  }

  /// `the URL | the value of {{output}} | the result`
  @Test(arguments: [
    "http://h/{{output}} | a b/../c?d#e&f=%41 | http://h/a%20b%2F..%2Fc%3Fd%23e%26f%3D%2541",
    "http://h/?q={{output}}&r={{job}} | ü | http://h/?q=%C3%BC&r=job",
    "http://h{{output}}/ | .evil.example | refused",
    "{{output}} | http://evil.example/ | refused", "http://{{output}}@h/ | x | refused",
    "http://{{job}}.h/{{output}} | x | http://job.h/x",
    "http://h/{{output|url}} | a b | http://h/a%20b", "http://h{{output|url}}/ | x | refused",
    #"http://h/?q={{output|json}} | " | http://h/?q=%5C%22"#,
    "http://h/?q={{output|json|url}} | ü | http://h/?q=%C3%BC",
  ])
  func `a placeholder in a URL is one part of its path or one value`(row: String) throws {
    let parts = row.split(separator: " | ").map(String.init)
    let url = try Placeholders.url(
      Placeholders.parse(parts[0]), [.output: parts[1], .job: "job"]
    ) { (_: String, _: [Placeholders.Filter]) throws(CancellationError) -> String in "" }
    #expect((url ?? "refused") == parts[2])
  }

  @Test func `behind a secret, a fact cannot make the host longer`() throws {
    let parts = try Placeholders.parse("{{secret.base}}{{output}}/x")
    for (base, expected) in [
      ("http://h", nil), ("http://h/", "http://h/.evil.example/x"),
      ("http://h?a=", "http://h?a=.evil.example/x"),
    ] {
      let url = Placeholders.url(parts, [.output: ".evil.example"]) {
        (_: String, _: [Placeholders.Filter]) throws(Never) -> String in base
      }
      #expect(url == expected)
    }
  }
}
