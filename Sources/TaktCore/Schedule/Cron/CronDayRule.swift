/// Which days a cron expression means when it gives both day fields.
package enum CronDayRule: String, CaseIterable, Hashable, Sendable {
  /// Days that fit either field, as classic cron has it; the default of `days`.
  case any
  /// Days that fit both fields.
  case all
}
