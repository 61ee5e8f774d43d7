/// Keys of units without a counterpart in a jobs file.
enum ForeignUnitKey {
  private static let sandboxPrefixes = [
    "Protect", "Private", "Restrict", "SystemCall", "Bind", "Inaccessible", "ReadOnly", "ReadWrite",
    "IPAddress", "SocketBind", "Root", "Mount", "Exec", "NoExec", "Device", "Extension",
  ]
  private static let sandbox: Set<String> = [
    "NoNewPrivileges", "CapabilityBoundingSet", "AmbientCapabilities", "SecureBits",
    "LockPersonality", "MemoryDenyWriteExecute", "RemoveIPC", "KeyringMode", "TemporaryFileSystem",
    "ProcSubset", "NetworkNamespacePath", "AppArmorProfile", "SELinuxContext",
    "SmackProcessLabel", "Personality", "UserNamespacePath", "DelegateNamespaces",
  ]
  private static let order: Set<String> = [
    "After", "Before", "Requires", "Wants", "BindsTo", "PartOf", "Requisite", "Conflicts",
    "Upholds", "JoinsNamespaceOf", "PropagatesReloadTo",
  ]
  private static let folders: Set<String> = [
    "RuntimeDirectory", "StateDirectory", "CacheDirectory", "LogsDirectory",
    "ConfigurationDirectory",
  ]

  static func confines(_ entry: UnitEntry) -> Bool {
    entry.section == "Service"
      && (sandbox.contains(entry.key)
        || sandboxPrefixes.contains { entry.key.hasPrefix($0) && entry.key != "ExecReload" })
  }

  /// Keys that change nothing when off.
  private static let switches: Set<String> = [
    "RefuseManualStart", "RefuseManualStop", "AllowIsolate", "IgnoreOnIsolate", "StopWhenUnneeded",
    "IgnoreSIGPIPE", "SendSIGHUP", "NonBlocking", "CPUSchedulingResetOnFork", "TTYReset",
    "TTYVHangup", "TTYVTDisallocate", "Delegate",
  ]

  /// True if it switches off something that takt lacks.
  static func isOff(_ entry: UnitEntry) -> Bool {
    (confines(entry) || switches.contains(entry.key)) && Unit.boolean(entry.value) == false
  }

  static func sentence(of entry: UnitEntry) -> String {
    let key = entry.key
    if folders.contains(key) { return "takt makes no folders" }
    if key == "SupplementaryGroups" {
      return "takt gives a command all groups of its user, and no others"
    }
    if confines(entry) { return "takt does not confine commands" }
    if key.hasSuffix("MountsFor") { return "takt does not wait until this is mounted" }
    if order.contains(key) { return "takt waits for no unit: the job runs when it is due" }
    if key.hasPrefix("Condition") || key.hasPrefix("Assert") {
      return "takt does not look at this before it runs the job"
    }
    if key == "RefuseManualStart" { return "'takt trigger' and 'takt exec' start any job" }
    switch entry.section {
    case "Install": return "takt enables no units"
    case "Timer": return "takt does not know this key of a timer"
    default: return "takt has no key for this"
    }
  }
}
