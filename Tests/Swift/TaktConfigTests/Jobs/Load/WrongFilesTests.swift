import Foundation
import TaktCore
import TaktTesting
import Testing

@testable import TaktConfig

/// Wrong files of every kind that a person might write: each has a diagnostic.
///
/// `TAKT_PRINT_WRONG_FILES=1` prints each with its diagnostics.
@Suite struct WrongFilesTests {
  static let names: [String] = [
    "jobs: {\"\": {every: 1h, run: echo}}",
    "jobs: {\"a b\": {every: 1h, run: echo}}",
    "jobs: {.a: {every: 1h, run: echo}}",
    "jobs: {ä: {every: 1h, run: echo}}",
    "jobs: {a/b: {every: 1h, run: echo}}",
    "jobs: {a: {every: 1h, run: echo}, a: {every: 2h, run: echo}}",
    "job: {a: {every: 1h, run: echo}}",
    "Jobs: {a: {every: 1h, run: echo}}",
    "tasks: {a: {every: 1h, run: echo}}",
    "jobs: {a: {Every: 1h, run: echo}}",
    "jobs: {a: {evry: 1h, run: echo}}",
    "jobs: {a: {interval: 1h, run: echo}}",
    "jobs: {a: {schedule: '* * * * *', run: echo}}",
    "jobs: {a: {every: 1h, command: echo}}",
    "jobs: {a: {every: 1h, exec: echo}}",
    "jobs: {a: {every: 1h, run: echo, environment: {A: b}}}",
    "jobs: {a: {every: 1h, run: echo, retries: 3}}",
    "jobs: {a: {every: 1h, run: echo, depends_on: b}}",
    "jobs: {a: {every: 1h, run: echo, time_out: 5s}}",
    "jobs: {a: {every: 1h, run: echo, max_running: 3}}",
    "jobs: {a: {every: 1h, run: echo, on_fail: {run: x}}}",
    "jobs: {a: {every: 1h, use: lgo}}",
    "jobs: {a: {every: 1h, use: log, with: {mesage: x}}}",
    "jobs: {a: {every: 1h, run: echo, env: {1A: b}}}",
    "jobs: {a: {every: 1h, run: echo, env: {A-B: c}}}",
    "jobs: {a: {every: 1h, run: echo, env: {TAKT_JOB: c}}}",
    "jobs: {a: {after: {job: b}, run: echo}}",
    "jobs: {a: {after: {job: a}, run: echo}}",
    "jobs: {a: {every: 1h, run: echo, concurrency: db}}",
    "jobs: {a: {every: 1h, run: echo, user: no-such-user}}",
    "jobs: {a: {every: 1h, run: echo, group: no-such-group}}",
  ]

  static let values: [String] = [
    "jobs: {a: {every: 5, run: echo}}",
    "jobs: {a: {every: 5 min, run: echo}}",
    "jobs: {a: {every: 5M, run: echo}}",
    "jobs: {a: {every: 1y, run: echo}}",
    "jobs: {a: {every: 0s, run: echo}}",
    "jobs: {a: {every: -5s, run: echo}}",
    "jobs: {a: {every: 0.1ms, run: echo}}",
    "jobs: {a: {every: 200y, run: echo}}",
    "jobs: {a: {every: '', run: echo}}",
    "jobs: {a: {every: '1,5h', run: echo}}",
    "jobs: {a: {every: PT5M, run: echo}}",
    "jobs: {a: {every: 1e3s, run: echo}}",
    "jobs: {a: {every: 99999999999999999999h, run: echo}}",
    "jobs: {a: {cron: '*/5 * * * * root /usr/bin/x', run: echo}}",
    "jobs: {a: {calendar: 'Mon–Fri 09:00', run: echo}}",
    "jobs: {a: {calendar: every day at 9, run: echo}}",
    "jobs: {a: {at: 2027-02-29T10:00, run: echo}}",
    "jobs: {a: {at: 1798135200, run: echo}}",
    "jobs: {a: {every: 1h, run: echo, kill: {signal: 9}}}",
    "jobs: {a: {every: 1h, run: echo, retry: {attempts: 99999999999999999999, delay: 1s}}}",
    "jobs: {a: {cron: '* * * *', run: echo}}",
    "jobs: {a: {cron: '60 * * * *', run: echo}}",
    "jobs: {a: {cron: '* 24 * * *', run: echo}}",
    "jobs: {a: {cron: '0 0 31 2 *', run: echo}}",
    "jobs: {a: {cron: '0 0 * * 8', run: echo}}",
    "jobs: {a: {cron: '*/0 * * * *', run: echo}}",
    "jobs: {a: {cron: '*/7 * * * *', run: echo}}",
    "jobs: {a: {cron: '0 0 1 * 1', run: echo}}",
    "jobs: {a: {cron: '@dayly', run: echo}}",
    "jobs: {a: {cron: '* 3 * * *', run: echo}}",
    "jobs: {a: {cron: '0 3 * * MON-FRY', run: echo}}",
    "jobs: {a: {calendar: 'Mon..Fri 25:00', run: echo}}",
    "jobs: {a: {calendar: 'Mo 09:00', run: echo}}",
    "jobs: {a: {calendar: '2020-01-01 09:00', run: echo}}",
    "jobs: {a: {at: 2020-01-01T00:00, run: echo}}",
    "jobs: {a: {at: 2099-01-01, run: echo}}",
    "jobs: {a: {at: 2099-02-30T00:00, run: echo}}",
    "jobs: {a: {at: tomorrow, run: echo}}",
    "jobs: {a: {at: 24.12.2099 18:00, run: echo}}",
    "jobs: {a: {cron: '0 3 * * *', timezone: Berlin, run: echo}}",
    "jobs: {a: {cron: '0 3 * * *', timezone: CEST, run: echo}}",
    "jobs: {a: {every: 1h, run: ''}}",
    "jobs: {a: {every: 1h, run: '   '}}",
    "jobs: {a: {every: 1h, run: []}}",
    "jobs: {a: {every: 1h, run: ['']}}",
    "jobs: {a: {every: 1h, run: ['echo hi | cat']}}",
    "jobs: {a: {every: 1h, run: [echo, '>', x]}}",
    "jobs: {a: {every: 1h, run: no-such-program}}",
    "jobs: {a: {every: 1h, run: [./no-such.sh]}}",
    "jobs: {a: {every: 1h, run: 'echo {{job}}'}}",
    "jobs: {a: {every: 1h, run: 'echo ${{ job }}{{run}}'}}",
    "jobs: {a: {every: 1h, run: echo, cwd: /no/such}}",
    "jobs: {a: {every: 1h, run: echo, cwd: '~/x'}}",
    "jobs: {a: {every: 1h, run: echo, secrets: {A: {file: /no/such}}}}",
    "jobs: {a: {every: 1h, run: echo, secrets: {A: hunter2}}}",
    "jobs: {a: {every: 1h, run: echo, env_file: /no/such.env}}",
    "jobs: {a: {every: 1h, run: echo, umask: 999}}",
    "jobs: {a: {every: 1h, run: echo, limits: {memory: 1KB}}}",
    "jobs: {a: {every: 1h, run: echo, limits: {memory: 64}}}",
    "jobs: {a: {every: 1h, run: echo, limits: {memory: 64mb}}}",
    "jobs: {a: {every: 1h, run: echo, limits: {cpu: 500ms}}}",
    "jobs: {a: {every: 10s, run: echo, timeout: 30s}}",
    "jobs: {a: {every: 1h, run: echo, timeout: 10m, expected: 1h}}",
    "jobs: {a: {every: 1m, run: echo, kill: {grace: 5m}}}",
    "jobs: {a: {every: 1h, use: fetch, with: {url: 'http://x', timeout: 1m}, timeout: 5s}}",
    "jobs: {a: {every: 1h, run: echo, shell: /no/such/shell}}",
    "jobs: {a: {every: 1h, run: [ls, $HOME]}}",
    "jobs: {a: {every: 1h, run: [rm, -f, /tmp/*.log]}}",
    "jobs: {a: {every: 1h, run: echo, env: {A: ~/bin}}}",
    "jobs: {a: {watch: {path: /srv/in}, run: 'date > /srv/in/last'}}",
    "jobs: {a: {every: 10s, run: echo, leeway: 10s}}",
    "jobs: {a: {every: 10s, run: echo, leeway: 120%}}",
    "jobs: {a: {every: 10s, run: echo, leeway: 10}}",
    "jobs: {a: {every: 1m, run: echo, retry: {attempts: 5, delay: 30s}}}",
    "jobs: {a: {every: 1h, run: echo, retry: {attempts: 0}}}",
    "jobs: {a: {every: 1h, run: echo, retry: {delay: 30s}}}",
    "jobs: {a: {every: 1h, run: echo, retry: {attempts: 3, delay: 2h}}}",
    "jobs: {a: {every: 1h, run: echo, retry: {attempts: 3, factor: 0.5}}}",
    "jobs: {a: {every: 1h, run: echo, overlap: wait}}",
    "jobs: {a: {every: 1h, run: echo, qos: high}}",
    "jobs: {a: {every: 1h, run: echo, kill: {signal: SIGTERM}}}",
    "jobs: {a: {every: 1h, run: echo, output: {rate: 100}}}",
    "jobs: {a: {every: 1h, run: echo, output: {log: never}}}",
    "jobs: {a: {every: 1h, run: echo, success: {exit: 256}}}",
    "jobs: {a: {every: 1h, run: echo, fails_when: {stdout: '('}}}",
    "jobs: {a: {cron: '0 3 * * *', run: echo, except: '*-*-*'}}",
    "jobs: {a: {cron: '0 3 * * *', run: echo, except: Sam}}",
    "jobs: {a: {cron: '0 3 1 1 *', run: echo, not_before: 2097-02-01T00:00, until: 2097-03-01T00:00}}",
    "jobs: {a: {every: 1h, run: echo, until: 2020-01-01T00:00}}",
    "jobs: {a: {every: 1h, run: echo, limit: 0}}",
    "jobs: {a: {watch: {path: '*.csv'}, run: echo}}",
    "jobs: {a: {every: 1h, use: http, with: {url: 'example.org'}}}",
    "jobs: {a: {every: 1h, use: log, with: {message: '{{jbo}}'}}}",
    "jobs: {a: {every: 1h, use: log, with: {message: '{{outcome}}'}}}",
    "scheduler: {max_running: 0}\njobs: {a: {every: 1h, run: echo}}",
    "scheduler: {http: {listen: 99999}}\njobs: {a: {every: 1h, run: echo}}",
    "scheduler: {shutdown_grace: 30}\njobs: {a: {every: 1h, run: echo}}",
  ]

  static let types: [String] = [
    "jobs: [a, b]",
    "jobs: []",
    "jobs: 5",
    "jobs:",
    "jobs: {}",
    "jobs: {a: echo}",
    "jobs: {a: [every: 1h]}",
    "jobs: {a: }",
    "jobs: {a: {}}",
    "jobs: {a: {run: echo}}",
    "jobs: {a: {every: 1h}}",
    "jobs: {a: {every: 1h, run: echo, use: log}}",
    "jobs: {a: {every: 1h, with: {message: x}, run: echo}}",
    "jobs: {a: {every: [1h], run: echo}}",
    "jobs: {a: {every: {hours: 1}, run: echo}}",
    "jobs: {a: {every: 1h, run: {cmd: echo}}}",
    "jobs: {a: {every: 1h, run: echo, env: [A=1]}}",
    "jobs: {a: {every: 1h, run: echo, env: {A: {b: c}}}}",
    "jobs: {a: {every: 1h, run: echo, env: {A: }}}",
    "jobs: {a: {every: 1h, run: echo, retry: 3}}",
    "jobs: {a: {every: 1h, run: echo, timeout: [5s]}}",
    "jobs: {a: {every: 1h, run: echo, tags: {a: b}}}",
    "jobs: {a: {every: 1h, run: echo, enabled: 1}}",
    "jobs: {a: {every: 1h, run: echo, on_failure: mail}}",
    "jobs: {a: {every: 1h, steps: {run: echo}}}",
    "jobs: {a: {every: 1h, steps: []}}",
    "jobs: {a: {every: 1h, steps: [echo]}}",
    "jobs: {a: {every: 1h, run: echo, after: b}}",
    "defaults: {every: 1h}\njobs: {a: {run: echo}}",
    "defaults: [a]\njobs: {a: {every: 1h, run: echo}}",
    "scheduler: 5\njobs: {a: {every: 1h, run: echo}}",
    "jobs: {a: {every: 1h, run: echo, first: now, align: epoch}}",
    "jobs: {a: {every: 1h, run: echo, days: all}}",
    "jobs: {a: {cron: '0 3 * * *', run: echo, phase: restart}}",
    "[jobs]",
    "hello",
  ]

  static let includes: [String] = [
    "include: other.yaml\njobs: {a: {every: 1h, run: echo}}",
    "include: conf.d/*.yaml\njobs: {a: {every: 1h, run: echo}}",
    "include: '**/*.yaml'\njobs: {a: {every: 1h, run: echo}}",
    "include: jobs.yaml\njobs: {a: {every: 1h, run: echo}}",
    "include: {a: b}\njobs: {a: {every: 1h, run: echo}}",
    "include: ''\njobs: {a: {every: 1h, run: echo}}",
    "include: []\njobs: {a: {every: 1h, run: echo}}",
    "include: /etc\njobs: {a: {every: 1h, run: echo}}",
  ]

  static let yamlHabits: [String] = [
    "jobs: {a: {every: 1h, run: echo, enabled: yes}}",
    "jobs: {a: {every: 1h, run: echo, enabled: on}}",
    "jobs: {a: {every: 1h, run: echo, enabled: True1}}",
    "jobs: {a: {every: 1h, steps: [{run: echo, continue: yes}]}}",
    "jobs: {a: {every: 1h, run: echo, retry: yes}}",
    "jobs: {a: {every: 1h, run: null}}",
    "jobs: {a: {every: 1h, run: ~}}",
    "jobs: {a: {every: 1:30, run: echo}}",
    "jobs: {a: {cron: * * * * *, run: echo}}",
    "jobs:\n  a:\n    cron: */5 * * * *\n    run: echo",
    "jobs:\n  a:\n    every: 1h\n    run: echo: hi",
    "jobs:\n  a:\n    every: 1h\n    run: @reboot",
    "jobs:\n  a:\n    every: 1h\n    run: `date`",
    "jobs:\n  a:\n    every: 1h\n   run: echo",
    "jobs:\n\ta: {every: 1h, run: echo}",
    "jobs:\n  a: {every: 1h, run: \"echo",
    "jobs:\n  a: {every: 1h, run: echo",
    "jobs:\n  - name: a\n    every: 1h\n    run: echo",
    "jobs:\n  a: &x {every: 1h, run: echo}\n  b: *y",
    "jobs:\n  a: {<<: 5, every: 1h, run: echo}",
    "jobs:\na:\n  every: 1h\n  run: echo",
    "jobs:\n  a:\n    every 1h\n    run: echo",
    "jobs:\n  a:\n    every:1h\n    run: echo",
    "jobs: {a-{{each}}: {every: 1h, run: echo}}",
    "*/5 * * * * root /usr/bin/backup",
    "0 3 * * * /usr/bin/backup",
    "apiVersion: batch/v1\nkind: CronJob",
    "jobs:\n  a: &x\n    every: 1h\n    run: echo\n    with: *x",
    "jobs: {a: {every: 1h, run: [sleep, [1]]}}",
    "jobs:\n  a: !!python/object {every: 1h, run: echo}",
    "jobs: {a: {every: 1h, run: echo}}\n---\njobs: {}",
    "jobs: {a: {every: 1h, run: echo}}\njobs: {b: {every: 1h, run: echo}}",
    "%YAML 3.0\n---\njobs: {a: {every: 1h, run: echo}}",
    "jobs: {a: {every: 1h, run: echo, umask: 0o27}}",
    "jobs: {a: {every: 1h, run: echo, umask: 18}}",
    "jobs: {a: {every: 1_000s, run: echo}}",
  ]

  private static let good = "jobs: {a: {every: 1h, run: echo}}\n"

  static let encodings: [[UInt8]] = [
    [], Array("\u{feff}".utf8), [0xff, 0xfe] + utf16(good, isBig: false),
    [0xfe, 0xff] + utf16(good, isBig: true), utf16(good, isBig: false),
    Array("jobs: {a: {every: 1h, run: caf".utf8) + [0xe9] + Array("}}".utf8),
    Array("jobs: {a: {every: 1h, run: echo\0}}".utf8), [0x1f, 0x8b, 8, 0, 0, 0, 0, 0],
    Array("jobs:\u{a0}{a: {every: 1h, run: echo}}".utf8),
    Array("jobs: {a: {every: \u{201c}1h\u{201d}, run: echo}}".utf8),
    Array("jobs: {a: {every: 1h, run: \u{1}echo}}".utf8),
    Array("jobs:\r  a: {evry: 1h, run: echo}\r".utf8),
    Array("jobs: {а: {every: 1h, run: echo}}".utf8),
    Array("jobs: {a: {every: １h, run: echo}}".utf8),
    Array("jobs: {a: {every: 1h, run: echo\u{200b}}}".utf8),
    Array("jobs:\n  a:\n\u{a0}\u{a0}  every: 1h\n    run: echo\n".utf8),
    Array("jobs:\n\u{a0}\u{a0}a: {every: 1h, run: echo}\n".utf8),
    Array("jobs: {a: {every: 1h, run: echo ".utf8) + [0x93] + Array("hi}}".utf8),
  ]

  private static func utf16(_ text: String, isBig: Bool) -> [UInt8] {
    text.utf16.flatMap { unit in
      let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xff))
      return isBig ? [high, low] : [low, high]
    }
  }

  static let all =
    (names + values + types + includes + yamlHabits).map { Array($0.utf8) } + encodings

  @Test func `there are more than enough kinds`() {
    #expect(Self.all.count >= 190 && Set(Self.all).count == Self.all.count)
  }

  @Test(arguments: all.indices) func `a wrong file is not silent`(index: Int) throws {
    let bytes = Self.all[index]
    let folder = TemporaryFolder()
    let loaded = loader.load(path: folder.write(bytes, to: "jobs.yaml"), isThorough: true)
    let text = String(decoding: bytes, as: UTF8.self)
    if ProcessInfo.processInfo.environment["TAKT_PRINT_WRONG_FILES"] != nil {
      let said = loaded.diagnostics.map {
        $0.headline.replacing(folder.path + "/", with: "")
      }
      print("WRONG \(text.debugDescription)\n   -> \(said.joined(separator: "\n   -> "))")
    }
    #expect(!loaded.diagnostics.isEmpty, "\(text)")
    #expect(loaded.diagnostics.allSatisfy { !$0.message.isEmpty })
  }
}
