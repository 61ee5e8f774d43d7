import TaktCore

/// One key that may stand in a jobs file. Each value that is read refers to its entry.
package final class KeyEntry: Hashable, Sendable {
  /// What a reload does when the value has changed.
  package enum ReloadEffect: String, Hashable, Sendable {
    /// The job continues with the new value; its timer keeps running.
    case updates
    /// The job's timer is set again.
    case rearms
    /// Nothing until takt starts again.
    case restarts = "needs a restart"
  }

  package let name: String
  /// The key of a job that it is; nil in a mapping whose keys have names only.
  let key: JobKey?
  package let type: KeyType
  /// What holds when it is left out, as the reference says it; nil for nothing.
  package let defaultText: String?
  /// What a reload does when it has changed; nil where that depends on what stands under it.
  package let reload: ReloadEffect?
  /// Whether `null` in a job takes away what `defaults` gives.
  package let mayBeNull: Bool
  /// Whether it describes a process, so that it means nothing to a built-in.
  let isOfProcesses: Bool
  /// Whether its value may hold a secret, by mistake or not, so that it is never shown. Kept, because
  /// each value that is read asks.
  let mayHoldSecrets: Bool
  package let summary: String
  /// How a job takes it over; nil for what is a job's alone, or part of another key's value.
  let use: KeyUse?

  package var isAllowedInDefaults: Bool { use != nil }

  /// A key of another table than a job's; it may be null where a job takes it over, unless told
  /// otherwise.
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

  /// By what they say; how a key is used follows from that.
  package static func == (left: KeyEntry, right: KeyEntry) -> Bool {
    left.name == right.name && left.summary == right.summary && left.type == right.type
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(summary)
  }
}

/// How the value of a key goes over what a job begins with.
enum KeyUse: Sendable {
  /// It is taken over. Null goes back to what holds without any `defaults`.
  case set(
    @Sendable (KeyFields.Field, KeyValue, ExecutionBuilder, inout JobDefaults) -> Void)
  /// Of a mapping: each of its keys is taken over, and those that are not there stay.
  case merge
  /// Of a mapping: as a merge, but those that are not there count as null.
  case replace

  /// Takes over what `read` finds in the value; null where it finds nothing.
  static func value<Value>(
    _ path: any WritableKeyPath<JobDefaults, Value> & Sendable,
    _ read: @escaping @Sendable (KeyValue) -> Value?
  ) -> Self {
    .set { _, value, builder, settled in
      settled[keyPath: path] = read(value) ?? builder.builtIn[keyPath: path]
    }
  }
}
