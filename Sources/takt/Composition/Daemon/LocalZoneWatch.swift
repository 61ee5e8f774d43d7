import Synchronization
import TaktCore
import TaktEngine
import TaktTime

/// Reports a change of the machine's own time zone: `/etc/localtime` leads elsewhere, or its zone
/// has other rules.
final class LocalZoneWatch: Sendable {
  private final class Known: Sendable {
    let zone = Mutex(ZoneFiles().zone(named: "local"))
  }

  private let watcher: FileWatcher

  /// Nil if the environment names the zone, so that no file can change it, or if the file cannot be
  /// watched, which is logged.
  ///
  /// - Parameter onChange: called for each change after its line in the log.
  init?(
    on engine: Engine, observer: any Observer,
    onChange: @escaping @Sendable (_ path: String) -> Void
  ) {
    guard let path = ZoneFiles().localFile else { return nil }
    let known = Known()
    do {
      watcher = try FileWatcher(
        of: "time zone", timerName: "zone-timer", reactor: engine.reactor, factory: engine.factory,
        timerLog: engine.timerLog,
        onChange: {
          let zone = ZoneFiles().zone(named: "local")
          let isOther = known.zone.withLock { known in
            defer { known = zone }
            return known != zone
          }
          guard isOther else { return }
          observer.logMessage(
            "\(path) has changed: the time zone of this machine is \(zone?.name ?? "UTC")")
          onChange(path)
        },
        onError: { observer.logMessage($0, .warning) })
    } catch {
      observer.logMessage(
        "a change of this machine's time zone is not noticed: \(error)", .warning)
      return nil
    }
    watcher.watch(FilesRead(paths: [path], readAt: SystemTimeSource().fileStamp))
  }

  func close() { watcher.close() }
}
