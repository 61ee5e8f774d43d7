import Glibc
import TaktCore
import TaktTime

/// Everything that a load consults besides the files themselves; answers are kept until it ends.
final class LoadSources {
  let actions: ActionTable
  let zones: ZoneTable
  /// The start of the load, for answers that are verified before a job is adopted from an earlier
  /// load.
  let loadedAt: WallInstant
  let accounts: AccountTable
  let files: LoadFiles
  let environmentFiles: EnvironmentFiles
  let lineFiles: LineFiles
  /// The files that jobs name on this machine; nil to look for none.
  let machineFiles: MachineFiles?
  let engineAddresses: EngineAddressCheck?
  private let groupCheck: GroupLimitCheck?
  private(set) var followings: [FollowingLink.Identity: FollowingLink] = [:]
  let rules = RuleTable()
  let eachBudget = EachBudget()
  private(set) lazy var calendarFiles = CalendarFiles(files, zones: zones)
  /// The files and zones whose clock changes have been reported.
  private var clockChanges: Set<String> = []
  private var ownUseCount = 0
  /// Nil if no load is remembered.
  let last: RememberedLoad?
  /// True if all of its answers are still valid; nil until first asked.
  private(set) var lastHolds: Bool?
  /// Parts that the specs of all files share.
  var pool = SpecPool()
  private(set) lazy var hostName = Self.nodeName()

  init(
    actions: ActionTable, zones: ZoneTable, now: WallInstant, accounts: AccountTable,
    files: LoadFiles, machineFiles: MachineFiles?, engineAddresses: EngineAddressCheck? = nil,
    groupProblem: GroupLimitCheck? = nil, last: RememberedLoad? = nil
  ) {
    self.last = last
    groupCheck = groupProblem
    self.engineAddresses = engineAddresses
    self.actions = actions
    self.zones = zones
    loadedAt = now
    self.accounts = accounts
    self.files = files
    environmentFiles = EnvironmentFiles(files)
    lineFiles = LineFiles(files)
    self.machineFiles = machineFiles
  }

  /// The number of questions whose answers may differ at the next load, and of actions for a job
  /// besides its spec: a job for which this grows is made each time.
  var volatileUseCount: Int {
    ownUseCount + environmentFiles.useCount + actions.pluginUseCount
  }

  func noteVolatileUse() { ownUseCount += 1 }

  var now: WallInstant {
    noteVolatileUse()
    return loadedAt
  }

  /// The reason why takt cannot limit whole attempts with these controllers; nil if it can, or
  /// nothing is checked.
  func groupProblem(_ controllers: Set<GroupController>) -> String? {
    noteVolatileUse()
    return groupCheck?(controllers)
  }

  func follow(_ identity: FollowingLink.Identity, _ link: FollowingLink) {
    noteVolatileUse()
    followings[identity] = link
  }

  /// True once for each file and zone in which a clock change drops times.
  func isNews(ofClockChangeIn zone: String, file: String) -> Bool {
    noteVolatileUse()
    return clockChanges.insert("\(file)\0\(zone)").inserted
  }

  /// True if the last load's answers are still valid.
  func holdLast() -> Bool {
    let result = lastHolds ?? last?.holds(in: self) ?? false
    lastHolds = result
    return result
  }

  private static func nodeName() -> String {
    var system = utsname()
    guard uname(&system) == 0 else { return "" }
    return withUnsafeBytes(of: &system.nodename) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
