extension CalendarExpression {
  /// The first instant strictly after `instant` at which the expression is due in the zone; nil
  /// when there is none before the year 2200.
  ///
  /// Instants are whole microseconds. They are those that `systemd-analyze calendar` gives, clock
  /// changes included: a skipped local time is left out, and with it, where the zone's clock
  /// counts the other way (Dublin in spring), now and then the rest of that day; of a repeated
  /// hour only the pass is used in which the search begins. The zone is the one to use; a name in
  /// the expression is for the caller to look up.
  public func next(after instant: WallInstant, in zone: Zone) -> WallInstant? {
    let from = instant.nanoseconds.flooredQuotient(by: 1000) + 1
    var search = CalendarSearch(self, zone: zone, from: from)
    guard let found = search.next() else { return nil }
    let (nanoseconds, overflow) = found.multipliedReportingOverflow(by: 1000)
    return overflow ? nil : WallInstant(nanoseconds: nanoseconds)
  }
}
