/// The severity of losing an assignment of a unit. A key in no table changes what runs.
extension ForeignUnitKey {
  static func severity(of entry: UnitEntry) -> LossSeverity {
    let key = entry.key
    switch entry.section {
    case "Unit":
      if requirements.contains(key) { return requiresNothing(entry) ? .noMeaning : .changesRun }
      return unit.contains(key) ? .noMeaning : .changesRun
    case "Install":
      return ["Alias", "Also", "DefaultInstance"].contains(key) ? .noMeaning : .changesRun
    case "Service":
      if key.hasPrefix("Exec"), key != "ExecPaths" { return .changesRun }
      // A folder, unlike the other keys with this prefix.
      if key == "LogsDirectory" { return .changesRun }
      if service.contains(key) || key.hasPrefix("Syslog") || key.hasPrefix("Log") {
        return .noMeaning
      }
      if confines(entry) {
        return surroundingPrefixes.contains(where: key.hasPrefix) || surroundings.contains(key)
          ? .changesRun : .protectsLess
      }
      if limits.contains(key) { return entry.value == "infinity" ? .changesRun : .protectsLess }
      return resourcePrefixes.contains(where: key.hasPrefix) ? .protectsLess : .changesRun
    case "Timer", "Socket", "Path", "Mount": return .changesRun
    // systemd ignores unknown sections.
    default: return .noMeaning
    }
  }

  /// Keys for the order of units, and for control by people and tools.
  private static let unit: Set<String> = [
    "After", "Before", "PartOf", "PropagatesReloadTo", "ReloadPropagatedFrom", "PropagatesStopTo",
    "StopPropagatedFrom", "JoinsNamespaceOf", "DefaultDependencies", "IgnoreOnIsolate",
    "StopWhenUnneeded", "RefuseManualStart", "RefuseManualStop", "AllowIsolate", "CollectMode",
    "OnFailureJobMode", "OnSuccessJobMode", "JobTimeoutSec", "JobRunningTimeoutSec", "SourcePath",
    "SurviveFinalKillSignal",
  ]
  /// Keys by which systemd tracks a service, and keys for its log.
  private static let service: Set<String> = [
    "Slice", "PIDFile", "BusName", "NotifyAccess", "GuessMainPID", "UtmpIdentifier", "UtmpMode",
    "FileDescriptorStoreMax", "FileDescriptorStorePreserve", "RestartMode", "RestartSteps",
    "RestartMaxDelaySec", "TimeoutAbortSec", "TimeoutStartFailureMode", "TimeoutStopFailureMode",
    "FinalKillSignal", "RestartKillSignal", "WatchdogSignal", "ReloadSignal", "TimerSlackNSec",
    "CoredumpFilter", "RuntimeDirectoryPreserve", "RuntimeDirectoryMode", "StateDirectoryMode",
    "CacheDirectoryMode", "LogsDirectoryMode", "ConfigurationDirectoryMode",
  ]
  private static let requirements: Set<String> = [
    "Wants", "Requires", "Requisite", "BindsTo", "Upholds", "Conflicts",
  ]
  /// Targets that a machine that runs jobs has reached, or that mark its end.
  private static let standardTargets: Set<String> = [
    "basic", "default", "getty", "graphical", "local-fs", "local-fs-pre", "multi-user", "network",
    "network-online", "network-pre", "nss-lookup", "nss-user-lookup", "paths", "remote-fs",
    "remote-fs-pre", "shutdown", "slices", "sockets", "swap", "sysinit", "time-set", "time-sync",
    "timers", "umount",
  ]
  /// Sandbox settings that mean other files, other rights or another network.
  private static let surroundingPrefixes = ["Root", "Bind", "Extension", "MountImages"]
  private static let surroundings: Set<String> = [
    "AmbientCapabilities", "TemporaryFileSystem", "NetworkNamespacePath", "UserNamespacePath",
    "Personality", "DelegateNamespaces",
  ]
  private static let limits: Set<String> = [
    "LimitAS", "LimitCORE", "LimitCPU", "LimitDATA", "LimitFSIZE", "LimitLOCKS", "LimitNPROC",
    "LimitRSS", "MemoryMax", "CPUQuota", "TasksMax", "IOWeight",
  ]
  private static let resourcePrefixes = [
    "Memory", "StartupMemory", "CPUWeight", "StartupCPU", "CPUShares", "CPUQuotaPeriod",
    "CPUAffinity", "AllowedCPUs", "AllowedMemoryNodes", "NUMA", "IO", "StartupIO", "BlockIO",
    "StartupBlockIO", "ManagedOOM", "OOM",
  ]

  private static func requiresNothing(_ entry: UnitEntry) -> Bool {
    entry.value.split(separator: " ").allSatisfy { name in
      name.hasSuffix(".slice")
        || name.hasSuffix(".target") && standardTargets.contains(String(name.dropLast(7)))
    }
  }
}
