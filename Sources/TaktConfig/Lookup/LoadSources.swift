import Glibc
import TaktCore
import TaktTime

/// What a load asks besides the files themselves; answers are kept for as long as it lasts.
final class LoadSources {
  let actions: ActionTable
  let zones: ZoneTable
  /// When the load began, for answers that are asked for again before a job is taken over from an
  /// earlier load.
  let loadedAt: WallInstant
  let accounts: AccountTable
  let files: LoadFiles
  let environmentFiles: EnvironmentFiles
  let lineFiles: LineFiles
  /// What jobs name on this machine; nil where nothing is looked for.
  let machineFiles: MachineFiles?
  let engineAddresses: EngineAddressCheck?
  private let groupCheck: GroupLimitCheck?
  private(set) var followings: [FollowingLink.Identity: FollowingLink] = [:]
  let rules = RuleTable()
  let eachBudget = EachBudget()
  private(set) lazy var calendarFiles = CalendarFiles(files, zones: zones)
  /// The files and zones of which it has been said that a clock change drops times.
  private var clockChanges: Set<String> = []
  private var ownUseCount = 0
  /// What the last load came to; nil where no load is remembered.
  let last: RememberedLoad?
  /// Whether all that it was answered holds now; nil until somebody asks.
  private(set) var lastHolds: Bool?
  /// What the specs of all files have in common.
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

  /// How often something was asked that may be otherwise at the next load, or something was done for
  /// a job besides its spec: a job for which this grows is made anew each time.
  var volatileUseCount: Int {
    ownUseCount + environmentFiles.useCount + actions.pluginUseCount
  }

  func noteVolatileUse() { ownUseCount += 1 }

  /// When the load began.
  var now: WallInstant {
    noteVolatileUse()
    return loadedAt
  }

  /// Why takt cannot limit whole attempts with these controllers; nil where it can, or nothing is
  /// asked.
  func groupProblem(_ controllers: Set<GroupController>) -> String? {
    noteVolatileUse()
    return groupCheck?(controllers)
  }

  func follow(_ identity: FollowingLink.Identity, _ link: FollowingLink) {
    noteVolatileUse()
    followings[identity] = link
  }

  /// Whether it has not been said yet that a clock change of the zone drops times of a file.
  func isNews(ofClockChangeIn zone: String, file: String) -> Bool {
    noteVolatileUse()
    return clockChanges.insert("\(file)\0\(zone)").inserted
  }

  /// Whether what the last load was answered holds now.
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
