extension Timeline.Verdict {
  /// The place of the verdict in `allCases`; a switch, because it is asked for every slot.
  var ordinal: Int {
    switch self {
    case .ran: 0
    case .skipped: 1
    case .coalesced: 2
    case .missed: 3
    case .cancelled: 4
    }
  }
}
