import Foundation
import Glibc
import TaktCore
import Testing

@testable import TaktConfig

struct KeyTableTests {
  private static let holidays = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../calendars/holidays.ics").standardizedFileURL.path

  /// One row for each key: a text that has it, and is taken.
  static let accepting: [String: String] = [
    "scheduler": "scheduler: {}", "defaults": "defaults: {}", "include": "include: none/*.yaml",
    "calendars": "calendars: {holidays: {dates: [2099-12-25]}}",
    "calendars.dates": "calendars: {holidays: {dates: 2099-12-24..2099-12-26}}",
    "calendars.file": "calendars: {holidays: {file: '\(holidays)'}}",
    "calendars.expressions": "calendars: {holidays: {expressions: ['*-12-25', '12..13:*:*']}}",
    "jobs": "jobs: {}", "x-…": "x-anything: [1, {a: b}]",
    "scheduler.timezone": "scheduler: {timezone: Europe/Berlin}",
    "scheduler.max_running": "scheduler: {max_running: 10000}",
    "scheduler.shutdown_grace": "scheduler: {shutdown_grace: 0s}",
    "every": "every: 1ms, run: x", "first": "every: 1s, first: now, run: x",
    "from": "every: 1s, from: end, run: x", "align": "every: 1s, align: epoch, run: x",
    "on.start": "on: {start: 5m}, run: x", "on.boot": "on: [start, {boot: 1h}], run: x",
    "on.reload": "on: {reload: 0s, start: 366d}, run: x",
    "at": "at: 2026-12-24T18:00, run: x", "on": "on: [start, reload], run: x",
    "leeway": "every: 1s, leeway: 10%, run: x", "run": "on: start, run: [a, b]",
    "for_each": "on: start, run: 'x {{each.t}}', for_each: {t: [a, b]}",
    "name": "on: start, run: x, for_each: {t: [a, b]}, name: 'x-{{each.t}}'",
    "use": "on: start, use: log", "with": "on: start, use: log, with: {level: debug}",
    "shell": "on: start, run: x, shell: [sh, -c]", "env": "on: start, run: x, env: {A: b}",
    "cwd": "on: start, run: x, cwd: /", "timeout": "on: start, run: x, timeout: 1ms",
    "kill": "on: start, run: x, kill: {}", "qos": "on: start, run: x, qos: user-interactive",
    "overlap": "on: start, run: x, overlap: allow",
    "enabled": "on: start, run: x, enabled: false",
    "description": "on: start, run: x, description: \"\"",
    "scheduler.plugins": "scheduler: {plugins: [plugins, /usr/local/lib/takt]}",
    "scheduler.concurrency": "scheduler: {concurrency: {db: 1}}",
    "env_file": "on: start, run: x, env_file: /etc/os-release",
    "inherit_env": "on: start, run: x, inherit_env: [LANG, TZ]",
    "secrets": "on: start, run: x, secrets: {A: {env: B}}",
    "user": "on: start, run: x, user: root", "group": "on: start, run: x, group: root",
    "nice": "on: start, run: x, nice: -5", "ionice": "on: start, run: x, ionice: idle",
    "limits.memory_max": "on: start, run: x, limits: {memory_max: 64MB}",
    "limits.cpu_quota": "on: start, run: x, limits: {cpu_quota: 250%}",
    "limits.tasks_max": "on: start, run: x, limits: {tasks_max: 10}",
    "limits.io_weight": "on: start, run: x, limits: {io_weight: 50}",
    "limits.enforce": "on: start, run: x, limits: {tasks_max: 10, enforce: if_possible}",
    "umask": "on: start, run: x, umask: 027", "stdin": "on: start, run: x, stdin: \"\"",
    "limits": "on: start, run: x, limits: {files: 64}",
    "retry": "on: start, run: x, retry: {attempts: 2}",
    "success": "on: start, run: x, success: {exit: 2}",
    "fails_when": "on: start, run: x, fails_when: {stderr: any}",
    "output": "on: start, run: x, output: {keep: 1KB}",
    "concurrency": "on: start, run: x, concurrency: db",
    "steps": "on: start, steps: [{run: x}]",
    "on_start": "on: start, run: x, on_start: {run: y}",
    "on_stale": "on: start, run: x, on_stale: {run: y}",
    "expect_success_within": "on: start, run: x, expect_success_within: 26h",
    "ping": "on: start, run: x, ping: 'https://hc-ping.com/0b5a4ca6-4c2c-4d1f-9b2a-0f5d2e7c9a11'",
    "hook.when": "on: start, run: x, on_failure: {run: y, when: streak >= 3}",
    "hook.repeat": "on: start, run: x, on_failure: {run: y, when: first, repeat: 1h}",
    "hook.add.when": "on: start, run: x, on_success: {add: {run: y, when: output}}",
    "hook.add.repeat": "on: start, run: x, on_late: {add: [{run: y, repeat: 1d}]}",
    "on_failure": "on: start, run: x, on_failure: {run: y}",
    "on_success": "on: start, run: x, on_success: [{run: y}]",
    "on_recover": "on: start, run: x, on_recover: [{run: y}, {use: log}]",
    "on_late": "on: start, run: x, on_late: {use: log}",
    "late_tolerance": "on: start, run: x, on_late: {run: y}, late_tolerance: 0s",
    "expected": "on: start, run: x, on_late: {run: y}, expected: 1m",
    "on_removed": "on: start, run: x, on_removed: kill", "tags": "on: start, run: x, tags: [a, b]",
    "steps.run": "on: start, steps: [{run: [x, y]}]", "steps.use": "on: start, steps: [{use: log}]",
    "steps.with": "on: start, steps: [{use: log, with: {level: debug}}]",
    "steps.continue": "on: start, steps: [{run: x, continue: true}, {run: y}]",
    "hook.run": "on: start, run: x, on_failure: {run: [x, y]}",
    "hook.use": "on: start, run: x, on_failure: {use: log}",
    "hook.with": "on: start, run: x, on_failure: {use: log, with: {message: '{{job}}'}}",
    "hook.add": "on: start, run: x, on_failure: {add: [{run: y}, {use: log}]}",
    "hook.add.run": "on: start, run: x, on_failure: {add: {run: [x, y]}}",
    "hook.add.use": "on: start, run: x, on_failure: {add: {use: log}}",
    "hook.add.with": "on: start, run: x, on_failure: {add: {use: log, with: {level: debug}}}",
    "secrets.file": "on: start, run: x, secrets: {A: {file: a.key}}",
    "secrets.env": "on: start, run: x, secrets: {A: {env: A}}",
    "secrets.as": "on: start, run: x, secrets: {A: {env: A, as: file}}",
    "limits.memory": "on: start, run: x, limits: {memory: 1.5GB}",
    "limits.cpu": "on: start, run: x, limits: {cpu: 1m}",
    "limits.files": "on: start, run: x, limits: {files: 64}",
    "limits.processes": "on: start, run: x, limits: {processes: 10}",
    "limits.core": "on: start, run: x, limits: {core: 0B}",
    "limits.file_size": "on: start, run: x, limits: {file_size: 10KiB}",
    "retry.attempts": "on: start, run: x, retry: {attempts: 1000}",
    "retry.delay": "on: start, run: x, retry: {attempts: 2, delay: 0s}",
    "retry.factor": "on: start, run: x, retry: {attempts: 2, factor: 1.5}",
    "retry.max": "on: start, run: x, retry: {attempts: 2, max: 1d}",
    "retry.jitter": "on: start, run: x, retry: {attempts: 2, jitter: 10%}",
    "retry.on": "on: start, run: x, retry: {attempts: 2, on: [exit, timeout]}",
    "retry.until": "on: start, run: x, retry: {attempts: 2, until: next_slot}",
    "output.keep": "on: start, run: x, output: {keep: 0B}",
    "output.log": "on: start, run: x, output: {log: on_failure}",
    "output.rate": "on: start, run: x, output: {rate: 100/s}",
    "output.file": "on: start, run: x, output: {file: {path: x.log}}",
    "output.file.path": "on: start, run: x, output: {file: {path: /x.log}}",
    "output.file.max": "on: start, run: x, output: {file: {path: x.log, max: 1KB}}",
    "output.file.files": "on: start, run: x, output: {file: {path: x.log, files: 100}}",
    "success.exit": "on: start, run: x, success: {exit: [0, 255]}",
    "fails_when.stderr": "on: start, run: x, fails_when: {stderr: any}",
    "fails_when.stdout": "on: start, run: x, fails_when: {stdout: '^E[0-9]{3}'}",
    "fails_when.empty": "on: start, run: x, fails_when: {empty: true}",
    "kill.signal": "on: start, run: x, kill: {signal: USR2}",
    "kill.grace": "on: start, run: x, kill: {grace: 0s}",
    "kill.leftovers": "on: start, run: x, kill: {leftovers: leave}",
    "scheduler.state": "scheduler: {state: none}",
    "scheduler.history": "scheduler: {history: {keep: 1w}}",
    "scheduler.http": "scheduler: {http: {listen: 8080}}",
    "delivery": "on: start, run: x, delivery: at_least_once",
    "cron": "cron: ['30 2 * * *', '@daily'], run: x",
    "calendar": "calendar: 'Mon..Fri 09:00', run: x",
    "timezone": "cron: '@daily', run: x, timezone: Europe/Berlin",
    "rrule": "rrule: 'DTSTART:20260105T090000 FREQ=WEEKLY;INTERVAL=2', run: x",
    "nth": "cron: '@daily', nth: {every: 2, starting: 2026-01-05}, run: x",
    "nth.every": "cron: '@daily', nth: {every: 10000, starting: 2026-01-05}, run: x",
    "nth.unit": "calendar: daily, nth: {every: 3, unit: months, starting: 2026-01-05}, run: x",
    "nth.starting": "cron: '@daily', nth: {every: 1, starting: 2024-02-29}, run: x",
    "working_day": "cron: '@daily', working_day: -2, run: x",
    "working_day.day": "cron: '@daily', working_day: {day: 3}, run: x",
    "working_day.except": "cron: '@daily', working_day: {day: last, except: holidays}, run: x",
    "only_on": "every: 1s, run: x, only_on: [holidays, 'Mon..Fri']",
    "on_excluded": "cron: '@daily', except: 'Sat,Sun', run: x, on_excluded: next",
    "anchor": "every: 90m, anchor: '08:00', run: x",
    "days": "cron: '0 0 13 * 5', run: x, days: all",
    "dst": "cron: '@daily', run: x, dst: {gap: skip}",
    "dst.gap": "cron: '@daily', dst: {gap: run_after}, run: x",
    "dst.overlap": "calendar: daily, dst: {overlap: both}, run: x",
    "phase": "every: 1s, phase: restart, run: x",
    "after": "after: {job: other}, run: x, on: start", "after.job": "after: [{job: other}], run: x",
    "after.on": "after: {job: other, on: any}, run: x",
    "after.all": "after: {all: [{job: other, on: any}]}, run: x",
    "after.within": "after: {all: [other], within: 6h}, run: x",
    "after.all.job": "after: {all: [{job: other}]}, run: x",
    "after.all.on": "after: {all: [{job: other, on: failure}]}, run: x",
    "watch": "watch: {path: inbox}, run: x", "watch.path": "watch: [{path: /tmp}], run: x",
    "watch.debounce": "watch: {path: a, debounce: 0s}, run: x",
    "not_before": "every: 1s, not_before: 2026-12-24T18:00, run: x",
    "until": "every: 1s, until: 2099-12-24T18:00, run: x", "limit": "every: 1s, limit: 1, run: x",
    "except": "every: 1s, run: x, except: ['Sat,Sun', '*-12-25']",
    "spread": "every: 1h, run: x, spread: 100ms",
    "spread.over": "every: 1h, spread: {over: 5m}, run: x",
    "spread.by": "every: 1h, spread: {over: 5m, by: host}, run: x",
    "jitter": "every: 1h, run: x, jitter: 100ms",
    "only_if": "on: start, run: x, only_if: [test, -e, /run/x]",
    "only_if.run": "on: start, run: x, only_if: {run: 'test -e /run/x'}",
    "only_if.use": "on: start, run: x, only_if: {use: log}",
    "only_if.with": "on: start, run: x, only_if: {use: log, with: {level: debug}}",
    "only_if.timeout": "on: start, run: x, only_if: {run: [x], timeout: 1h}",
    "only_if.wait": "on: start, run: x, only_if: {run: [x], wait: 2h}",
    "only_if.every": "on: start, run: x, only_if: {run: [x], wait: 2h, every: 1m}",
    "missed": "on: start, run: x, missed: {policy: skip}",
    "missed.policy": "on: start, run: x, missed: {policy: all}",
    "missed.within": "on: start, run: x, missed: {within: 0s}",
    "missed.max": "on: start, run: x, missed: {policy: all, max: 10000}",
    "scheduler.cluster": "scheduler: {cluster: {engine: postgres}}",
    "machines": "on: start, run: x, machines: {site: east, disk: fast}",
    "on_partition": "on: start, run: x, on_partition: run",
    "on_lease_lost": "on: start, run: x, on_lease_lost: finish",
  ]

  /// Keys of mappings that stand under `scheduler`, not in a job.
  private static let ofScheduler: [String: String] = [
    "scheduler.history.keep": "scheduler: {history: {keep: 1m}}",
    "scheduler.history.max_runs": "scheduler: {history: {max_runs: 100}}",
    "scheduler.history.output": "scheduler: {history: {output: 0s}}",
    "scheduler.history.max_size": "scheduler: {history: {max_size: 1MB}}",
    "scheduler.cluster.engine": "scheduler: {cluster: {engine: postgres}}",
    "scheduler.cluster.url":
      "scheduler: {cluster: {engine: postgres, url: 'host=db dbname=takt password=x'}}",
    "scheduler.cluster.endpoints": "scheduler: {cluster: {engine: etcd, endpoints: https://e}}",
    "scheduler.cluster.ca": "scheduler: {cluster: {engine: etcd, endpoints: https://e, ca: x}}",
    "scheduler.cluster.cert":
      "scheduler: {cluster: {engine: etcd, endpoints: https://e, cert: x, key: y}}",
    "scheduler.cluster.key":
      "scheduler: {cluster: {engine: etcd, endpoints: https://e, cert: x, key: y}}",
    "scheduler.cluster.username":
      "scheduler: {cluster: {engine: etcd, endpoints: https://e, username: x, password: {env: Y}}}",
    "scheduler.cluster.password":
      "scheduler: {cluster: {engine: etcd, endpoints: https://e, username: x, password: {env: Y}}}",
    "scheduler.cluster.password.file":
      "scheduler: {cluster: {engine: etcd, endpoints: https://e, username: x, password: {file: y}}}",
    "scheduler.cluster.password.env":
      "scheduler: {cluster: {engine: etcd, endpoints: https://e, username: x, password: {env: Y}}}",
    "scheduler.cluster.name": "scheduler: {cluster: {engine: postgres, name: nightly}}",
    "scheduler.cluster.lease": "scheduler: {cluster: {engine: postgres, lease: 5m}}",
    "scheduler.cluster.machine": "scheduler: {cluster: {engine: postgres, machine: a-1.b}}",
    "scheduler.cluster.labels": "scheduler: {cluster: {engine: postgres, labels: {site: 1}}}",
    "scheduler.cluster.api":
      "scheduler: {http: {listen: 1}, cluster: {engine: postgres, api: 'http://a:1'}}",
    "scheduler.cluster.api_token_file":
      "scheduler: {cluster: {engine: postgres, api_token_file: a}}",
    "scheduler.cluster.api_write_token_file":
      "scheduler: {cluster: {engine: postgres, api_write_token_file: a}}",
    "scheduler.cluster.start": "scheduler: {cluster: {engine: postgres, start: degrade}}",
    "scheduler.http.listen": "scheduler: {http: {listen: '[::1]:0'}}",
    "scheduler.http.token_file": "scheduler: {http: {listen: 8080, token_file: /run/token}}",
    "scheduler.http.read_token_file":
      "scheduler: {http: {listen: 8080, read_token_file: /run/reader}}",
    "scheduler.concurrency.max": "scheduler: {concurrency: {db: {max: 2}}}",
    "scheduler.concurrency.when_full": "scheduler: {concurrency: {db: {max: 2, when_full: skip}}}",
    "scheduler.http.public_url":
      "scheduler: {http: {listen: 8080, public_url: 'https://jobs.example.org/takt'}}",
    "scheduler.http.names": "scheduler: {http: {listen: 8080, names: [jobs.example.org]}}",
  ]

  private static let root = KeyTable.root.map(\.name)
  private static let scheduler = KeyTable.scheduler.map { "scheduler." + $0.name }
  private static let parts = KeyTable.parts.flatMap { part in
    part.entries.map { part.path + "." + $0.name }
  }
  private static let ofFile = parts.filter {
    $0.hasPrefix("scheduler.") || $0.hasPrefix("calendars.")
  }
  private static let job = KeyTable.job.map(\.name) + parts.filter { !ofFile.contains($0) }

  @Test(arguments: root + scheduler + ofFile)
  func `each key of the file is taken`(key: String) throws {
    let row = try #require(Self.accepting[key] ?? Self.ofScheduler[key], "no row for the key")
    let loaded = load(row + (key == "jobs" ? "\n" : "\njobs: {}\n"))
    #expect(loaded.diagnostics.map(\.message) == ["there are no jobs to run"])
    #expect(loaded.snapshot != nil)
  }

  @Test(arguments: job) func `each key of a job is taken`(key: String) throws {
    let row = try #require(Self.accepting[key], "no row for the key")
    _ = try spec(row, before: Self.scheduler(for: key))
  }

  static let groups =
    "scheduler: {concurrency: {db: 2}}\ncalendars: {holidays: {dates: [2099-12-25]}}"

  /// What a job with the key needs under `scheduler`.
  private static func scheduler(for key: String) -> String {
    ["machines", "on_partition", "on_lease_lost"].contains(key)
      ? "scheduler: {cluster: {engine: postgres}}" : groups
  }

  /// One row for each key: the same job before and after a change of that key alone.
  private static let changes: [String: (before: String, after: String)] = [
    "every": ("every: 1s, run: x", "every: 2s, run: x"),
    "first": ("every: 1s, run: x", "every: 1s, first: now, run: x"),
    "from": ("every: 1s, run: x", "every: 1s, from: end, run: x"),
    "align": ("every: 1s, run: x", "every: 1s, align: epoch, run: x"),
    "at": ("at: 2026-12-24T18:00Z, run: x", "at: 2026-12-24T19:00Z, run: x"),
    "on": ("on: start, run: x", "on: reload, run: x"),
    "leeway": ("every: 1s, run: x", "every: 1s, leeway: 10%, run: x"),
    "run": ("on: start, run: x", "on: start, run: [x]"),
    "use": ("on: start, run: x", "on: start, use: log"),
    "with": ("on: start, use: log", "on: start, use: log, with: {level: debug}"),
    "shell": ("on: start, run: x", "on: start, run: x, shell: /bin/bash"),
    "env": ("on: start, run: x", "on: start, run: x, env: {A: b}"),
    "cwd": ("on: start, run: x", "on: start, run: x, cwd: /"),
    "timeout": ("on: start, run: x", "on: start, run: x, timeout: 1s"),
    "kill": ("on: start, run: x", "on: start, run: x, kill: {grace: 1s}"),
    "qos": ("on: start, run: x", "on: start, run: x, qos: utility"),
    "overlap": ("on: start, run: x", "on: start, run: x, overlap: allow"),
    "enabled": ("on: start, run: x", "on: start, run: x, enabled: false"),
    "description": ("on: start, run: x", "on: start, run: x, description: y"),
    "env_file": ("on: start, run: x", "on: start, run: x, env_file: /etc/os-release"),
    "inherit_env": ("on: start, run: x", "on: start, run: x, inherit_env: false"),
    "secrets": ("on: start, run: x", "on: start, run: x, secrets: {A: {env: B}}"),
    "user": ("on: start, run: x", "on: start, run: x, user: root"),
    "group": ("on: start, run: x", "on: start, run: x, group: root"),
    "nice": ("on: start, run: x", "on: start, run: x, nice: 5"),
    "ionice": ("on: start, run: x", "on: start, run: x, ionice: idle"),
    "umask": ("on: start, run: x", "on: start, run: x, umask: 077"),
    "stdin": ("on: start, run: x, stdin: a", "on: start, run: x, stdin: b"),
    "limits": ("on: start, run: x", "on: start, run: x, limits: {core: 0B}"),
    "retry": ("on: start, run: x", "on: start, run: x, retry: {attempts: 2}"),
    "success": ("on: start, run: x", "on: start, run: x, success: {exit: [0, 1]}"),
    "fails_when": ("on: start, run: x", "on: start, run: x, fails_when: {empty: true}"),
    "output": ("on: start, run: x", "on: start, run: x, output: {log: false}"),
    "concurrency": ("on: start, run: x", "on: start, run: x, concurrency: db"),
    "steps": ("on: start, run: x", "on: start, steps: [{run: x}]"),
    "on_start": ("on: start, run: x", "on: start, run: x, on_start: {run: y}"),
    "on_stale": ("on: start, run: x", "on: start, run: x, on_stale: {run: y}"),
    "expect_success_within": ("on: start, run: x", "on: start, run: x, expect_success_within: 1h"),
    "ping": ("on: start, run: x", "on: start, run: x, ping: 'https://hc-ping.com/x'"),
    "on_failure": ("on: start, run: x", "on: start, run: x, on_failure: {run: y}"),
    "on_success": ("on: start, run: x", "on: start, run: x, on_success: {run: y}"),
    "on_recover": ("on: start, run: x", "on: start, run: x, on_recover: {run: y}"),
    "on_late": ("on: start, run: x", "on: start, run: x, on_late: {run: y}"),
    "late_tolerance": ("on: start, run: x", "on: start, run: x, late_tolerance: 2s"),
    "expected": ("on: start, run: x", "on: start, run: x, expected: 2s"),
    "on_removed": ("on: start, run: x", "on: start, run: x, on_removed: kill"),
    "tags": ("on: start, run: x", "on: start, run: x, tags: nightly"),
    "delivery": ("on: start, run: x", "on: start, run: x, delivery: at_most_once"),
    "cron": ("cron: '0 1 * * *', run: x", "cron: '0 2 * * *', run: x"),
    "calendar": ("calendar: daily, run: x", "calendar: weekly, run: x"),
    "timezone": ("cron: '@daily', run: x", "cron: '@daily', timezone: Europe/Berlin, run: x"),
    "days": ("cron: '0 0 13 * 5', run: x", "cron: '0 0 13 * 5', days: all, run: x"),
    "dst": ("cron: '@daily', run: x", "cron: '@daily', dst: {gap: skip}, run: x"),
    "rrule": (
      "rrule: 'DTSTART:20260105T090000 FREQ=WEEKLY', run: x",
      "rrule: 'DTSTART:20260105T090000 FREQ=DAILY', run: x"
    ),
    "nth": (
      "cron: '@daily', run: x", "cron: '@daily', nth: {every: 2, starting: 2026-01-05}, run: x"
    ),
    "working_day": ("cron: '@daily', run: x", "cron: '@daily', working_day: last, run: x"),
    "anchor": ("every: 90m, anchor: '08:00', run: x", "every: 90m, anchor: '08:30', run: x"),
    "only_if": ("on: start, run: x", "on: start, run: x, only_if: [x]"),
    "missed": ("on: start, run: x", "on: start, run: x, missed: {policy: all}"),
    "phase": ("every: 1s, run: x", "every: 1s, phase: restart, run: x"),
    "after": ("after: {job: k}, run: x", "after: {job: k, on: any}, run: x"),
    "watch": ("watch: {path: a}, run: x", "watch: {path: b}, run: x"),
    "not_before": ("every: 1s, run: x", "every: 1s, not_before: 2026-12-24T18:00, run: x"),
    "until": ("every: 1s, run: x", "every: 1s, until: 2099-12-24T18:00, run: x"),
    "limit": ("every: 1s, run: x", "every: 1s, limit: 2, run: x"),
    "except": ("every: 1s, run: x", "every: 1s, except: Sun, run: x"),
    "only_on": ("every: 1s, run: x", "every: 1s, only_on: Sun, run: x"),
    "on_excluded": (
      "cron: '@daily', except: Sun, run: x",
      "cron: '@daily', except: Sun, on_excluded: next, run: x"
    ),
    "spread": ("every: 1h, run: x", "every: 1h, spread: 5m, run: x"),
    "jitter": ("every: 1h, run: x", "every: 1h, jitter: 5m, run: x"),
    "machines": ("on: start, run: x", "on: start, run: x, machines: {site: east}"),
    "on_partition": ("on: start, run: x", "on: start, run: x, on_partition: run"),
    "on_lease_lost": ("on: start, run: x", "on: start, run: x, on_lease_lost: finish"),
  ]

  /// `for_each` and `name` add and remove jobs: that has tests of its own.
  @Test(arguments: KeyTable.job.filter { $0.reload != nil })
  func `a reload does what the table says of each key`(
    entry: KeyEntry
  ) throws {
    let row = try #require(Self.changes[entry.name], "no row for the key")
    let plan = try plan(from: row.before, to: row.after)
    let expected: ReloadPlan.Change = entry.reload == .rearms ? .rearmed : .updated
    #expect(plan.steps.map(\.change) == [expected])
    // What a file of variables says is part of the environment by then.
    // How times of the clock are read is shown with them.
    let shown =
      switch entry.name {
      case "env_file": "env"
      case "timezone", "days", "dst", "nth", "working_day": "cron"
      default: entry.name
      }
    #expect(plan.steps.flatMap(\.details).contains { $0.key == shown })
  }

  private func plan(from before: String, to after: String) throws -> ReloadPlan {
    let folder = TemporaryFolder()
    let snapshots = try [before, after].map { keys in
      let text =
        Self.groups + "\njobs: {a: {\(keys)}, k: {on: start, run: x}, m: {on: start, run: x}}\n"
      let path = folder.write(Array(text.utf8), to: "jobs.yaml")
      return try #require(loader.load(path: path).snapshot)
    }
    return ReloadPlan(from: snapshots[0], to: snapshots[1])
  }

  /// The same for each key of a mapping inside a job: what stands under it, before and after.
  private static let innerChanges: [String: (before: String, after: String)] = [
    "after.job": ("{job: k}", "{job: m}"), "after.on": ("{job: k}", "{job: k, on: any}"),
    "after.all": ("{all: [k]}", "{all: [k, m]}"),
    "after.within": ("{all: [k]}", "{all: [k], within: 1h}"),
    "after.all.job": ("{all: [{job: k}]}", "{all: [{job: m}]}"),
    "after.all.on": ("{all: [{job: k}]}", "{all: [{job: k, on: any}]}"),
    "watch.path": ("{path: a}", "{path: b}"),
    "watch.debounce": ("{path: a}", "{path: a, debounce: 9s}"),
    "spread.over": ("{over: 5m}", "{over: 6m}"),
    "spread.by": ("{over: 5m}", "{over: 5m, by: host}"),
    "dst.gap": ("{}", "{gap: skip}"), "dst.overlap": ("{}", "{overlap: both}"),
    "nth.every": ("{every: 2, starting: 2026-01-05}", "{every: 3, starting: 2026-01-05}"),
    "nth.unit": (
      "{every: 2, starting: 2026-01-05}", "{every: 2, unit: days, starting: 2026-01-05}"
    ),
    "nth.starting": ("{every: 2, starting: 2026-01-05}", "{every: 2, starting: 2026-01-12}"),
    "only_if.run": ("{run: [x]}", "{run: [y]}"), "only_if.use": ("{run: [x]}", "{use: log}"),
    "only_if.with": ("{use: log}", "{use: log, with: {level: debug}}"),
    "only_if.timeout": ("{run: [x]}", "{run: [x], timeout: 1s}"),
    "only_if.wait": ("{run: [x]}", "{run: [x], wait: 2h}"),
    "only_if.every": ("{run: [x], wait: 2h}", "{run: [x], wait: 2h, every: 5m}"),
    "working_day.day": ("{day: last}", "{day: 3}"),
    "working_day.except": ("{day: last}", "{day: last, except: holidays}"),
    "on.start": ("{start: 5m}", "{start: 6m}"), "on.boot": ("{boot: 0s}", "{boot: 6m}"),
    "on.reload": ("{start: 5m}", "{start: 5m, reload: 1m}"),
    "missed.policy": ("{}", "{policy: skip}"), "missed.within": ("{}", "{within: 0s}"),
    "missed.max": ("{policy: all}", "{policy: all, max: 9}"),
    "steps.run": ("[{run: x}]", "[{run: y}]"), "steps.use": ("[{run: x}]", "[{use: log}]"),
    "steps.with": ("[{use: log}]", "[{use: log, with: {level: debug}}]"),
    "steps.continue": ("[{run: x}]", "[{run: x, continue: true}]"),
    "hook.run": ("{run: x}", "{run: y}"), "hook.use": ("{run: x}", "{use: log}"),
    "hook.with": ("{use: log}", "{use: log, with: {level: debug}}"),
    "hook.when": ("{run: x}", "{run: x, when: first}"),
    "hook.repeat": ("{run: x}", "{run: x, repeat: 1h}"),
    "hook.add.when": ("{add: {run: x}}", "{add: {run: x, when: output}}"),
    "hook.add.repeat": ("{add: {run: x}}", "{add: {run: x, repeat: 1h}}"),
    "hook.add": ("{run: x}", "{add: [{run: x}, {run: y}]}"),
    "hook.add.run": ("{add: {run: x}}", "{add: {run: y}}"),
    "hook.add.use": ("{add: {run: x}}", "{add: {use: log}}"),
    "hook.add.with": (
      "{add: {use: log}}", "{add: {use: log, with: {level: debug}}}"
    ),
    "secrets.file": ("{A: {file: a}}", "{A: {file: b}}"),
    "secrets.env": ("{A: {env: A}}", "{A: {env: B}}"),
    "secrets.as": ("{A: {env: A}}", "{A: {env: A, as: file}}"),
    "limits.memory": ("{}", "{memory: 1GB}"), "limits.cpu": ("{}", "{cpu: 1m}"),
    "limits.files": ("{}", "{files: 9}"), "limits.processes": ("{}", "{processes: 9}"),
    "limits.memory_max": ("{}", "{memory_max: 1GB}"),
    "limits.cpu_quota": ("{}", "{cpu_quota: 50%}"), "limits.tasks_max": ("{}", "{tasks_max: 9}"),
    "limits.io_weight": ("{}", "{io_weight: 9}"),
    "limits.enforce": ("{}", "{enforce: if_possible}"),
    "limits.core": ("{}", "{core: 0B}"), "limits.file_size": ("{}", "{file_size: 9KB}"),
    "kill.signal": ("{}", "{signal: USR2}"), "kill.grace": ("{}", "{grace: 9s}"),
    "kill.leftovers": ("{}", "{leftovers: leave}"),
    "retry.attempts": ("{}", "{attempts: 9}"),
    "retry.delay": ("{attempts: 2}", "{attempts: 2, delay: 9s}"),
    "retry.factor": ("{attempts: 2}", "{attempts: 2, factor: 9}"),
    "retry.max": ("{attempts: 2}", "{attempts: 2, max: 9m}"),
    "retry.jitter": ("{attempts: 2}", "{attempts: 2, jitter: 9%}"),
    "retry.on": ("{attempts: 2}", "{attempts: 2, on: exit}"),
    "retry.until": ("{attempts: 2}", "{attempts: 2, until: next_slot}"),
    "output.keep": ("{}", "{keep: 9B}"), "output.log": ("{}", "{log: false}"),
    "output.rate": ("{}", "{rate: 9/s}"), "output.file": ("{}", "{file: {path: a}}"),
    "output.file.path": ("{file: {path: a}}", "{file: {path: b}}"),
    "output.file.max": ("{file: {path: a}}", "{file: {path: a, max: 9KB}}"),
    "output.file.files": ("{file: {path: a}}", "{file: {path: a, files: 9}}"),
    "success.exit": ("{}", "{exit: 9}"), "fails_when.stderr": ("{}", "{stderr: any}"),
    "fails_when.stdout": ("{}", "{stdout: x}"), "fails_when.empty": ("{}", "{empty: true}"),
  ]

  @Test(arguments: parts.filter { !ofFile.contains($0) })
  func `a plan tells of every key inside a mapping`(path: String) throws {
    let row = try #require(Self.innerChanges[path], "no row for the key")
    let key = path.hasPrefix("hook.") ? "on_failure" : String(path.prefix { $0 != "." })
    let others =
      switch key {
      case "steps": "on: start, "
      case "spread", "dst", "nth", "working_day": "cron: '@daily', run: x, "
      case "after", "watch", "on": "run: x, "
      default: "on: start, run: x, "
      }
    let (before, after) = (others + "\(key): \(row.before)", others + "\(key): \(row.after)")
    let plan = try plan(from: before, to: after)
    #expect(
      plan.steps.flatMap(\.details).map(\.key)
        == [["dst", "nth", "working_day"].contains(key) ? "cron" : key])
  }

  @Test(arguments: KeyTable.job.filter(\.isAllowedInDefaults).map(\.name))
  func `each key that may stand in defaults does`(key: String) throws {
    let row = try #require(Self.accepting[key])
    let text = key == "leeway" ? "leeway: 10%" : String(try #require(own(key, in: row)))
    let before = Self.scheduler(for: key) + "\ndefaults: {\(text)}"
    _ = try spec("every: 1s, run: x", before: before)
    let bare = try spec("every: 1s, run: x, \(key): null", before: before)
    let none = try spec("every: 1s, run: x", before: Self.scheduler(for: key))
    #expect(bare.inFolder("/") == none.inFolder("/"))
  }

  /// The key with its value at the end of a row.
  private func own(_ key: String, in row: String) -> Substring? {
    row.ranges(of: " \(key): ").last.map { row[$0.lowerBound...].dropFirst() }
  }

  @Test(arguments: KeyTable.job.filter { !$0.isAllowedInDefaults }.map(\.name))
  func `no other key may stand in defaults`(key: String) {
    let loaded = load("defaults: {\(key): x}\njobs: {}\n")
    #expect(rows(loaded.diagnostics) == ["1:12 misplacedKey"])
  }

  @Test func `no name stands twice in a table, and each has a sentence`() {
    let tables = [KeyTable.root, KeyTable.scheduler, KeyTable.job]
    for table in tables + KeyTable.parts.map(\.entries) {
      #expect(Set(table.map(\.name)).count == table.count)
      #expect(table.allSatisfy { $0.summary.hasSuffix(".") && !$0.summary.contains("|") })
    }
  }

  @Test func `the docs show the table as it is`() throws {
    let path = #filePath.replacing(
      "Tests/TaktConfigTests/Keys/KeyTableTests.swift", with: "docs/jobs-file.md")
    let reader = FileReader(bound: 1 << 20, refusesWritableByOthers: false)
    let text = try reader.read(path).bytes.withBytes { String(decoding: $0, as: UTF8.self) }
    let (begin, end) = ("<!-- keys: begin -->\n", "\n<!-- keys: end -->")
    let start = try #require(text.firstRange(of: begin)).upperBound
    let stop = try #require(text.firstRange(of: end)).lowerBound
    if getenv("TAKT_WRITE_REFERENCE").map({ String(cString: $0) }) == "1" {
      let whole = text[..<start] + KeyTable.reference + text[stop...]
      let file = try #require(fopen(path, "w"))
      fputs(String(whole), file)
      fclose(file)
    } else {
      #expect(
        String(text[start..<stop]) == KeyTable.reference,
        "run the tests with TAKT_WRITE_REFERENCE=1 to write it anew")
    }
  }
}
