import TaktCore

/// A key that a jobs file may have. Each value that is read refers to its entry.
package final class KeyEntry: Hashable, Sendable {
  /// The effect of a reload on a changed value.
  package enum ReloadEffect: String, Hashable, Sendable {
    /// The job continues with the new value; its timer keeps running.
    case updates
    /// The job's timer is set again.
    case rearms
    /// Nothing until takt restarts.
    case restarts = "needs a restart"
  }

  package let name: String
  /// The key of a job; nil in a mapping whose keys only have names.
  let key: JobKey?
  package let type: KeyType
  /// The default, as the reference shows it; nil for none.
  package let defaultText: String?
  /// The effect of a reload; nil if the keys below it decide.
  package let reload: ReloadEffect?
  /// True if `null` in a job removes the value of `defaults`.
  package let mayBeNull: Bool
  /// True if it describes a process, so that it has no effect on a built-in.
  let isOfProcesses: Bool
  /// True if its value may hold a secret, by mistake or not, so that it is never shown. Stored,
  /// because it is checked for each value.
  let mayHoldSecrets: Bool
  package let summary: String
  /// The way in which a job adopts it; nil for keys of a job only, and for parts of another key's
  /// value.
  let use: KeyUse?

  package var isAllowedInDefaults: Bool { use != nil }

  /// For a key outside the table of jobs. By default it may be null if a job adopts it.
  init(
    _ name: String, key: JobKey? = nil, _ type: KeyType, default defaultText: String? = nil,
    reload: ReloadEffect? = .updates, isOfProcesses: Bool = false, mayBeNull: Bool? = nil,
    mayHoldSecrets: Bool? = nil, _ summary: String, _ use: KeyUse? = nil
  ) {
    self.name = name
    self.key = key
    self.type = type
    self.defaultText = defaultText
    self.reload = reload
    self.mayBeNull = mayBeNull ?? (use != nil)
    self.isOfProcesses = isOfProcesses
    self.mayHoldSecrets =
      mayHoldSecrets ?? [JobKey.secrets, .environment, .with, .ping, .params].contains(key)
    self.summary = summary
    self.use = use
  }

  convenience init(
    _ key: JobKey, _ type: KeyType, default defaultText: String? = nil,
    reload: ReloadEffect? = .updates, isOfProcesses: Bool = false, _ summary: String,
    _ use: KeyUse? = nil
  ) {
    self.init(
      key.name, key: key, type, default: defaultText, reload: reload, isOfProcesses: isOfProcesses,
      mayBeNull: nil, mayHoldSecrets: nil, summary, use)
  }

  /// Compares the documented parts; the use of a key follows from them.
  package static func == (left: KeyEntry, right: KeyEntry) -> Bool {
    left.name == right.name && left.summary == right.summary && left.type == right.type
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(summary)
  }
}

/// The way in which a key's value changes the values of a job.
enum KeyUse: Sendable {
  /// Replaces the value. Null resets to the value without `defaults`.
  case set(
    @Sendable (KeyFields.Field, KeyValue, ExecutionBuilder, inout JobDefaults) -> Void)
  /// For a mapping: each of its keys replaces its value, and missing ones stay.
  case merge
  /// For a mapping: like a merge, but missing keys count as null.
  case replace

  /// Sets the result of `read`, or the value without `defaults` if that is nil.
  static func value<Value>(
    _ path: any WritableKeyPath<JobDefaults, Value> & Sendable,
    _ read: @escaping @Sendable (KeyValue) -> Value?
  ) -> Self {
    .set { _, value, builder, settled in
      settled[keyPath: path] = read(value) ?? builder.builtIn[keyPath: path]
    }
  }
}
