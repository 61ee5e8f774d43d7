import Glibc
import TaktCore
import TaktTime

/// What a load asks besides the files themselves; answers are kept for as long as it lasts.
final class LoadSources {
  let actions: ActionTable
  let zones: ZoneTable
  /// When the load began.
  let now: WallInstant
  let accounts: AccountTable
  let environmentFiles: EnvironmentFiles
  let lineFiles: LineFiles
  /// What jobs name on this machine; nil where nothing is looked for.
  let machineFiles: MachineFiles?
  let engineAddresses: EngineAddressCheck?
  /// Nil where nothing is asked.
  let groupProblem: GroupLimitCheck?
  var followings: [FollowingLink.Identity: FollowingLink] = [:]
  let rules = RuleTable()
  /// The files and zones of which it has been said that a clock change drops times.
  var clockChanges: Set<String> = []
  /// What the specs of all files have in common.
  var pool = SpecPool()
  private(set) lazy var hostName = Self.nodeName()

  init(
    actions: ActionTable, zones: ZoneTable, now: WallInstant, accounts: AccountTable,
    environmentFiles: EnvironmentFiles, lineFiles: LineFiles, machineFiles: MachineFiles?,
    engineAddresses: EngineAddressCheck? = nil, groupProblem: GroupLimitCheck? = nil
  ) {
    self.groupProblem = groupProblem
    self.engineAddresses = engineAddresses
    self.actions = actions
    self.zones = zones
    self.now = now
    self.accounts = accounts
    self.environmentFiles = environmentFiles
    self.lineFiles = lineFiles
    self.machineFiles = machineFiles
  }

  private static func nodeName() -> String {
    var system = utsname()
    guard uname(&system) == 0 else { return "" }
    return withUnsafeBytes(of: &system.nodename) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
