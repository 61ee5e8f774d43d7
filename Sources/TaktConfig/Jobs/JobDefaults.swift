import TaktCore
import TaktTime

/// What a job begins with, before its own keys are read.
struct JobDefaults {
  /// Its environment is that of `env` alone.
  var execution: Execution
  /// The variables of `env_file`, over which stands `env`.
  var fileVariables: [String: String] = [:]
  /// The files that these come from, with the users who own them.
  var environmentFiles: [(path: String, owner: UInt32)] = []
  var leeway = Leeway.none
  var spread: SpreadRule?
  var jitter = Duration.zero
  /// Times that are left out; without a zone of their own they are read in the job's.
  var exceptions: [(expression: CalendarExpression, isWholeDays: Bool, zone: Zone?)] = []
  var overlap = Overlap.skip
  var isEnabled = true
  var concurrencyGroup: String?
  var hooks: Hooks = [:]
  var lateTolerance = Duration.seconds(1)
  var expectedDuration: Duration?
  var removal = Removal.drain
  /// Nil for that of the scheduler.
  var zone: Zone?
  /// Nil for each kind of expression's own way.
  var dstGap: DSTPolicy.Gap?
  var dstOverlap: DSTPolicy.Overlap?
  var days = CronDayRule.any
  var delivery = Delivery.bestEffort
  var missed = MissedPolicy()
  var tags: [String] = []

  /// How far jobs are put off.
  struct SpreadRule {
    var over: Duration
    var isByHost: Bool
  }

  /// What holds without any `defaults`, for jobs of a file in the absolute folder `folder`.
  init(folder: String) {
    execution = Execution(directory: folder)
  }
}
