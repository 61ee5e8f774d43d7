import TaktCore

/// Keys of other tools with a counterpart in takt, such as `schedule` or `depends_on`.
enum ForeignKeys {
  /// The hint for an unknown key; nil unless takt has a counterpart in this place.
  static func hint(for name: String, among keys: KeyRows) -> String? {
    // Matches `dependsOn`, `depends-on` and `depends_on`.
    let letters = name.lowercased().filter(\.isLetter)
    return entries.first { $0.names.contains(letters) && keys[$0.key] != nil }?.hint
  }

  private struct Entry {
    /// takt's key.
    var key: String
    var hint: String
    /// The other tools' keys, in lower-case letters only.
    var names: Set<String>
  }

  private static let entries = [
    Entry(
      key: "jobs", hint: "use 'jobs'",
      names: [
        "task", "tasks", "schedule", "schedules", "crons", "cronjobs", "timers", "units",
        "services",
        "workflows", "commands",
      ]),
    Entry(key: "defaults", hint: "use 'defaults'", names: ["default", "common", "base"]),
    Entry(
      key: "scheduler", hint: "use 'scheduler'",
      names: ["config", "settings", "options", "global", "server", "daemon"]),
    Entry(key: "include", hint: "use 'include'", names: ["includes", "import", "imports"]),
    Entry(
      key: "cron", hint: "use 'cron', 'calendar' or 'every'",
      names: ["schedule", "schedules", "when", "crontab"]),
    Entry(
      key: "every", hint: "use 'every', such as every: 5m",
      names: ["interval", "period", "frequency", "onunitactivesec"]),
    Entry(key: "calendar", hint: "use 'calendar'", names: ["oncalendar"]),
    Entry(
      key: "run", hint: "use 'run'",
      names: ["command", "commands", "cmd", "script", "exec", "execstart", "entrypoint"]),
    Entry(
      key: "run", hint: "write run: [PROGRAM, ARGUMENT]", names: ["args", "argv", "arguments"]),
    Entry(
      key: "env", hint: "use 'env'",
      names: ["environment", "envs", "envvars", "vars", "variables"]),
    Entry(key: "env_file", hint: "use 'env_file'", names: ["environmentfile", "dotenv"]),
    Entry(
      key: "after", hint: "write after: {job: NAME}",
      names: ["dependson", "depends", "dependencies", "needs", "requires"]),
    Entry(
      key: "retry", hint: "write retry: {attempts: 3}",
      names: ["retries", "maxretries", "retrycount", "maxattempts", "backofflimit"]),
    Entry(
      key: "cwd", hint: "use 'cwd'",
      names: [
        "workdir", "workingdir", "workingdirectory", "directory", "dir", "chdir", "folder",
      ]),
    Entry(
      key: "timeout", hint: "use 'timeout'",
      names: ["maxruntime", "runtimemaxsec", "activedeadlineseconds", "maxduration"]),
    Entry(
      key: "overlap", hint: "use 'overlap': \(Overlap.list(" or ", \.rawValue))",
      names: ["concurrencypolicy", "maxinstances", "singleton", "allowconcurrent"]),
    Entry(
      key: "missed", hint: "write missed: {policy: last}",
      names: ["catchup", "persistent", "misfire", "misfiregracetime"]),
    Entry(key: "leeway", hint: "use 'leeway'", names: ["accuracysec", "tolerance"]),
    Entry(key: "jitter", hint: "use 'jitter'", names: ["randomizeddelaysec", "randomdelay"]),
    Entry(
      key: "enabled", hint: "write enabled: false", names: ["disabled", "disable", "suspend"]),
    Entry(
      key: "on_failure", hint: "use a hook: 'on_failure', 'on_success' or 'on_recover'",
      names: [
        "notify", "notifications", "alert", "alerts", "mailto", "onerror", "onfail", "onfailures",
      ]),
    Entry(key: "timezone", hint: "use 'timezone'", names: ["tz"]),
  ]
}
