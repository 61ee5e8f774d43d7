/// One place where bytes from outside enter takt.
protocol FuzzTarget: SendableMetatype {
  static var name: String { get }
  /// The input, in a few words.
  static var summary: String { get }

  init() throws

  /// Reads the bytes as takt does. Traps if a promise is broken; a text that is refused breaks none.
  mutating func read(_ bytes: [UInt8])
}

let fuzzTargets: [any FuzzTarget.Type] = [
  JobsTarget.self, CronTarget.self, CalendarTarget.self, TimeTextTarget.self, ZoneTarget.self,
  EnvironmentTarget.self, ManifestTarget.self, PluginTarget.self, LogTarget.self,
  RecurrenceTarget.self, StoredScheduleTarget.self, RequestPathTarget.self,
  CalendarFileTarget.self, CrontabTarget.self, UnitsTarget.self, EtcdAnswerTarget.self,
  EtcdRecordsTarget.self, PostgresReplyTarget.self, PostgresAuditTarget.self, MachineTarget.self,
  MailTarget.self, LedgerTarget.self, EachShellTarget.self, TerminalTarget.self,
  PlainCommandTarget.self, ContainerTarget.self,
]
