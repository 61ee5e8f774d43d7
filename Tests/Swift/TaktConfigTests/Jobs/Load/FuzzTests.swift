import TaktCore
import TaktSystem
import TaktTesting
import Testing

@testable import TaktConfig
import TaktTime

/// Mutations of a good file, by seed: the result is always a snapshot or an error.
struct FuzzTests {
  static let seed = """
    scheduler: {timezone: Europe/Berlin, max_running: 16, shutdown_grace: 30s}
    x-base: &base {timeout: 5s, env: &env {A: 1, B: yes}}
    defaults: {qos: utility, leeway: 10%, kill: {signal: INT, grace: 1s}, on_late: [{run: x}]}
    jobs:
      heartbeat:
        every: 10s   # a comment
        first: now
        use: log
        with: {message: "still \\u00e4 here", level: info}
      backup:
        <<: [*base, {cwd: sub}]
        at: [2026-12-24T18:00, '2026-10-25 02:30:00.250']
        on: start
        run: |
          pg_dump app | gzip
          echo ü
        env: {<<: *env, C: !!str 5}
      much:
        on: start
        steps: [{run: a, continue: true}, {use: all, with: {lists: {a: [1]}, text: "{{job}}"}}]
        retry: {attempts: 3, factor: 1.5, jitter: 5%}
        output: {keep: 1KB, rate: 5/s, file: {path: x.log}}
        fails_when: {stdout: '^(a|b){3}[[:digit:]]'}
        secrets: {A: {env: B}}
        user: worker
        umask: 027
      many:
        for_each: {t: [a, 5, true], r: {x: {k: 1}, y: {k: "a b"}}, exclude: [{t: a, r: x}]}
        name: "m-{{each.t}}-{{each.r}}"
        after: {all: [list, {job: much, on: any}], within: 6h}
        only_if: {run: [test, -e, "{{each.r.k}}"], wait: 2h, every: 1m}
        run: "x {{each.t}} '{{each.r}}' {{each.r.k}}"
      list: {every: 15m, align: epoch, run: [sleep, 5], overlap: allow, enabled: true}
    include: none-*.yaml
    """

  private static let pieces = [
    "{", "}", "[", "]", ":", ": ", "- ", "\n", "\t", "  ", "\"", "'", "&a ", "*a", "*base", "<<: ",
    "!!str ", "!x ", "|", ">", "#", "---\n", "...\n", "%", "? ", "null", "~", "\0", "\u{85}",
    "\u{2028}", "\u{feff}", "é", "every: 5s", "{{each.t}}", "{{", "}}", "for_each: ",
    "999999999999999999999w", "100%", "jobs:\n", "\\x00",
  ].map { Array($0.utf8) }

  @Test(arguments: UInt64(0)..<20) func `no mutation of a file traps`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let files = LoadFiles()
    let plugins = PluginTable(files)
    let sources = LoadSources(
      actions: ActionTable(TestCatalogue(), plugins), zones: ZoneTable(TestZones()),
      now: WallInstant(milliseconds: 1_790_000_000_000),
      accounts: AccountTable(TestAccounts(), userID: 0), files: files,
      machineFiles: MachineFiles())
    let good = Array(Self.seed.utf8)
    for _ in 0..<1000 {
      var bytes = good
      for _ in 0...Int.random(in: 0..<4, using: &random) { mutate(&bytes, using: &random) }
      let pass = FilePass.read(
        FilePass.Setting(
          source: SourceText(file: "f", bytes: FileBytes(bytes)), isMain: true, folder: "/",
          settings: SettingsBuilder.builtIn(zones: sources.zones), sources: sources,
          plugins: plugins, limits: YAMLLimits(), places: [:]))
      for diagnostic in pass.reporter.log.sorted(files: ["f"]) {
        #expect(!diagnostic.text.isEmpty && diagnostic.location.line >= 0)
      }
      if pass.reporter.errorCount == 0 {
        #expect(pass.jobs?.specs.count == pass.jobs?.names.count)
      }
    }
  }

  @Test func `the file itself is good`() {
    #expect(
      load(Self.seed).snapshot?.names == [
        "heartbeat", "backup", "much", "m-a-y", "m-5-x", "m-5-y", "m-true-x", "m-true-y", "list",
      ])
  }

  private func mutate(_ bytes: inout [UInt8], using random: inout SplitMix64) {
    guard !bytes.isEmpty else { return }
    let index = Int.random(in: 0..<bytes.count, using: &random)
    let end = min(bytes.count, index + Int.random(in: 1...30, using: &random))
    switch Int.random(in: 0..<6, using: &random) {
    case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
    case 1: bytes.removeSubrange(index..<end)
    case 2: bytes.insert(contentsOf: bytes[index..<end], at: index)
    case 3: bytes.removeSubrange(index...)
    case 4: bytes.swapAt(index, Int.random(in: 0..<bytes.count, using: &random))
    default:
      let piece = Self.pieces[Int.random(in: 0..<Self.pieces.count, using: &random)]
      bytes.insert(contentsOf: piece, at: index)
    }
  }
}
