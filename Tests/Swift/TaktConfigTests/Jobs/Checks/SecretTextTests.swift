import TaktCore
import Testing

@testable import TaktConfig

/// A secret in the jobs file is in no diagnostic, however wrong the file is: neither in the
/// message, nor in the hint, nor in the line that is shown.
@Suite struct SecretTextTests {
  /// Files that contain `hunter2` where a secret's source should be. Each is an error.
  static let files = [
    // Values that are no source.
    job("secrets: {PW: hunter2}"), job("secrets: hunter2"), job("secrets: [hunter2]"),
    job("secrets: {PW: [a, hunter2]}"), job("secrets: {PW: {hunter2: x}}"),
    job("secrets: {PW: {file: [hunter2]}}"), job("secrets: {PW: {env: 'hunter2!'}}"),
    job("secrets: {PW: {env: A, as: hunter2}}"), job("secrets: {hunter2}"),
    job("secrets: {PW=hunter2}"), job("secrets: {PW hunter2}"), job("secrets: {PW: {hunter2}}"),
    job("secrets: {TAKT_hunter2: {env: A}}"), job("secrets: {PW: ~hunter2}"),
    job("secrets: {PW: {file: '~/hunter2'}}"), job("secrets: {PW: \"hunter2\\0\"}"),
    // Twice, or as the name of something.
    job("secrets: {hunter2: {env: A}, hunter2: {env: B}}"),
    job("secrets: {PW: hunter2, PW: hunter2}"), job("secrets: {PW: {env: A, env: hunter2}}"),
    job("secrets: {PW: !hunter2 x}"), job("secrets: {PW: !!hunter2 x}"),
    job("secrets: {PW: !!int hunter2}"), job("secrets: !hunter2 {PW: x}"),
    job("secrets: {PW: *hunter2}"), job("secrets: {<<: *hunter2}"), job("secrets: {<<: hunter2}"),
    job("secrets: {<<: [hunter2]}"), job("secrets: {[hunter2]: x}"),
    job("secrets: {PW: &hunter2 {env: A}}, tags: *hunter3"),
    job("secrets: {PW: &hunter2 {env: [x]}}"),
    "x-a: &a hunter2\n" + job("secrets: {PW: *a}"), "x-a: &a {PW: hunter2}\n" + job("secrets: *a"),
    "x-a: &a {PW: {fiel: hunter2}}\n" + job("secrets: *a"),
    "x-a: &a {secrets: {PW: hunter2}}\n" + job("<<: *a"),
    "x-a: &a\n  PW: {as: hunter2, env: A}\n" + job("secrets: *a"),
    // Misspelt, in the wrong place, or wrongly indented.
    job("secret: {PW: hunter2}"), job("secerts: {PW: hunter2}"), job("Secrets: {PW: hunter2}"),
    "secrets: {PW: hunter2}\n" + job("on: start"), "scheduler: {secrets: {PW: hunter2}}\n",
    "defaults: {secrets: {PW: hunter2}}\n" + job("on: start"),
    job("retry: {secrets: {PW: hunter2}}"),
    "jobs:\n  a:\n    every: 1h\n    run: x\n    secrets:\n    PW: hunter2\n",
    "jobs:\n  a:\n    every: 1h\n    run: x\n    secrets:\n  PW: hunter2\n",
    "jobs:\n  a:\n    every: 1h\n    run: x\n    secrets: # of the bank\n    # no blanks\n    PW: hunter2\n",
    "jobs:\n  a:\n    every: 1h\n    run: x\n    secrets PW: hunter2\n",
    "jobs:\n  a:\n    every: 1h\n    run: x\n    secrets\n      PW: hunter2\n",
    "jobs:\n  a:\n    run: x\n    ? secrets\n    : PW: hunter2\n",
    "jobs:\n  a:\n    run: x\n    \"s\\x65crets\":\n      PW: hunter2\n",
    "jobs:\n  a:\n    run: x\n    secrets: |\n      PW: hunter2\n",
    "jobs:\n  a:\n    run: x\n    secrets:\n      - PW: hunter2\n      - hunter2\n",
    // Texts that are no YAML, with the mistake in the secret, before it and behind it.
    "jobs:\n  a:\n    secrets:\n      PW: @hunter2\n",
    "jobs:\n  a:\n    secrets:\n      PW: hunter2: x\n",
    "jobs:\n  a:\n    secrets:\n      PW: \"hunter2\n",
    "jobs:\n  a:\n    secrets:\n      PW: [hunter2\n",
    "jobs:\n  a:\n    secrets:\n      PW: 'hun'hunter2\n",
    "jobs:\n  a:\n    secrets:\n\tPW: hunter2\n",
    "jobs:\n  a:\n    secrets:\n      PW: hunter2\n     QW: hunter2\n",
    "jobs:\n  a:\n    secrets:\n      PW: *hunter2!\n",
    "jobs:\n  a:\n    secrets:\n      PW: &%hunter2 x\n",
    "jobs:\n  a:\n    secrets:\n      PW: %hunter2\n",
    "jobs:\n  a:\n    secrets:\n      PW: `hunter2`\n",
    "jobs:\n  a:\n    secrets:\n      PW: \"\\hunter2\"\n",
    "jobs:\n  a:\n    secrets:\n      PW: |hunter2\n",
    "jobs:\n  a:\n    secrets:\n      PW: hunter2\n      - x\n",
    "jobs:\n  a:\n    run: \"x\n    secrets:\n      PW: \"hunter2\"\n",
    "jobs: {a: {every: @5, secrets: {PW: hunter2}}}\n",
    "jobs: {a: {secrets: {PW: hunter2}, every: @5}}\n", "jobs: {a: {secrets: {PW: hunter2}\n",
    "jobs: {a: {secrets: {PW:\nhunter2}, every: @5}}\n",
    "jobs:\n  a:\n    secrets: {PW:\n      hunter2}, every: @5\n",
    "jobs:\n  a:\n    secrets:\n      PW: hunter2\n---\njobs: {}\n",
    "jobs:\n  a:\n    secrets:\n      PW: hunter2\u{0}\n",
    "include: [no.yaml]\njobs: {a: {every: 1h, run: x, secrets: {PW: hunter2}}}\n",
    "{include: [no.yaml], jobs: {a: {every: 1h, run: x, secrets: {PW: hunter2}}}}\n",
    // Valid secrets, beside a mistake of another key on the line.
    job("secrets: {PW: {file: hunter2}}, tags: [a b]"),
    job("after: {job: no}, secrets: {PW: {file: hunter2}}"),
    // Elsewhere than in `secrets`.
    job("authorization: hunter2"), job("env: hunter2"),
    job("env: [hunter2]"), job("env: {PW: [hunter2]}"),
    job("env: {PW: hunter2, QW: [x]}"), job("env: {PW: {hunter2: x}}"),
    job("env: {PW: hunter2, TAKT_X: y}"), job("envi: {PW: hunter2}"),
    job("use: login, with: hunter2"), job("use: login, with: {password: [hunter2]}"),
    job("use: login, with: {password: {hunter2: x}}"),
    job("use: login, with: {password: '{{hunter2}}'}"),
    job("use: login, with: {password: hunter2, hello: x}"),
    job("use: login, with: {passwort: hunter2}"), job("use: nothing, with: {password: hunter2}"),
    job("use: login, with: {password: !hunter2 x}"),
    job("use: all, with: {text: 'https://u:hunter2@host/{{no}}'}"),
    // The address of a database, in the right place and in wrong ones.
    cluster("{engine: postgres, url: 'https://u:hunter2@host/x'}"),
    cluster("{engine: postgres, url: 'password hunter2'}"),
    cluster("{engine: postgres, api: 'https://u:hunter2@host/x'}"),
    cluster("{engine: postgres, api: [hunter2]}"),
    cluster("{engine: postgres, url: [hunter2]}"),
    cluster("{engine: postgres, url: {hunter2: x}}"),
    cluster("{engine: postgres, url: \"hunter2\\0\"}"),
    cluster("{engine: etcd, url: 'postgres://u:hunter2@host/x'}"),
    cluster("{engine: 'postgres://u:hunter2@host/x'}"), cluster("'postgres://u:hunter2@host/x'"),
    cluster("'host=db password=hunter2'"), cluster("['postgres://u:hunter2@host/x']"),
    cluster("{engine: postgres, ulr: 'postgres://u:hunter2@host/x'}"),
    cluster("{engine: postgres, name: 'postgres://u:hunter2@host/x'}"),
    cluster("{engine: postgres, lease: 'postgres://u:hunter2@host/x'}"),
    cluster("{engine: postgres, machine: 'host=db PassWord = hunter2'}"),
    cluster("{engine: postgres, labels: {'postgres://u:hunter2@host/x': y}}"),
    cluster("{engine: postgres, 'postgres://u:hunter2@host/x': y}"),
    cluster("{engine: postgres, lease: 1s, url: 'postgres://host/x?password=hunter2'}"),
    cluster("{engine: postgres, url: 'postgres://u:hunter2@host/x'"),
    cluster("{engine: postgres, url: >-\n  hunter2\n}"),
    cluster("{engine: etcd, endpoints: 'http://u:hunter2@host'}"),
    cluster("{engine: etcd, endpoints: ['http://u:hunter2@host']}"),
    cluster("{engine: etcd, endpoints: {hunter2: x}}"),
    cluster("{engine: etcd, endpoints: http://h, username: x, password: hunter2}"),
    cluster("{engine: etcd, endpoints: http://h, username: x, password: [hunter2]}"),
    cluster("{engine: etcd, endpoints: http://h, username: x, password: {hunter2: x}}"),
    cluster("{engine: etcd, endpoints: http://h, username: x, password: {env: 'hunter2!'}}"),
    cluster("{engine: etcd, endpoints: http://h, username: x, password: {file: [hunter2]}}"),
    cluster("{engine: etcd, endpoints: http://h, username: x, password: !hunter2 x}"),
    cluster("{engine: postgres, password: hunter2}"),
    "scheduler:\n  cluster:\n    url: 'hunter2\n      hunter2'\njobs: {}\n",
    "scheduler:\n  cluster:\n    engine: postgres\n    url: |\n      hunter2\njobs: {}\n",
  ]

  private static func cluster(_ value: String) -> String {
    "scheduler: {cluster: \(value)}\njobs: {a: {every: 1h, run: x}}\n"
  }

  private static func job(_ keys: String) -> String {
    "jobs: {a: {every: 1h, \(keys.hasPrefix("use") ? "" : "run: x, ")\(keys)}}\n"
  }

  @Test(arguments: files)
  func `no diagnostic shows it`(file: String) {
    // On lines of their own too, if the file has only one.
    for text in [file, file.replacing("{a: {every: 1h, ", with: "{a: {every: 1h,\n  ")] {
      let loaded = load(text)
      #expect(!loaded.diagnostics.isEmpty, "\(text)")
      for diagnostic in loaded.diagnostics {
        #expect(!diagnostic.text.contains("hunter2"), "\(text): \(diagnostic.text)")
      }
    }
  }

  @Test(arguments: [
    "run: @x\n    secrets: {A: {env: B}}", "secrets:\n      A: {env: B}\n    run: @x",
    "tags: [a b]\n    secrets:\n\n      A: {env: B}", "run: ./secret-tool @\n    retry: 3",
    "use: log\n    with:\n      message: '{{secret.NO}}'",
  ])
  func `a mistake beside secrets is shown with its line`(keys: String) {
    let loaded = load("jobs:\n  a:\n    every: 1h\n    \(keys)\n")
    #expect(!loaded.diagnostics.isEmpty)
    #expect(loaded.diagnostics.allSatisfy { $0.sourceLine != nil }, "\(loaded.diagnostics)")
  }

  @Test func `a mistake in a secret is named without its text`() {
    let loaded = load(
      """
      jobs:
        a:
          every: 1h
          run: x
          secrets:
            A: {fiel: x}
            A: {env: B}
            C: !tag x
            D: *no
      """)
    let found = loaded.diagnostics.map { diagnostic in
      "\(diagnostic.location.line):\(diagnostic.location.column) \(diagnostic.message); "
        + (diagnostic.hint ?? "")
    }
    #expect(
      found == [
        "6:11 unknown key under 'secrets' in 'A' of job 'a'; the keys are 'file', 'env' and 'as'",
        "7:7 duplicate key under 'secrets'; remove one of them",
        "8:10 unknown tag under 'secrets'; remove it",
        "9:10 unknown alias under 'secrets'; write NAME: {file: PATH} or NAME: {env: VARIABLE}",
      ])
  }
}
