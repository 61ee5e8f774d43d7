/// A service that shows messages to people.
///
/// To add one: a case, the parameters that it needs and accepts, and the request that sends a
/// message.
enum ChatService: String, CaseIterable {
  case slack, discord, teams, telegram, matrix, ntfy, gotify, pushover, pagerduty

  var needs: [String] {
    switch self {
    case .slack, .discord, .teams, .ntfy: ["url"]
    case .telegram: ["token", "chat"]
    case .matrix: ["url", "token", "chat"]
    case .gotify: ["url", "token"]
    case .pushover: ["token", "user"]
    case .pagerduty: ["token"]
    }
  }

  /// The parameters that it accepts besides those.
  private var options: [String] {
    switch self {
    case .slack, .discord, .teams, .matrix: []
    case .telegram: ["url"]
    case .ntfy: ["token", "priority"]
    case .gotify: ["priority"]
    case .pushover: ["url", "priority"]
    case .pagerduty: ["url", "dedup_key"]
    }
  }

  /// The parameters that matter to some services only.
  static let ownParameters = ["url", "token", "chat", "user", "priority", "dedup_key"]

  func takes(_ parameter: String) -> Bool { (needs + options).contains(parameter) }

  var priorities: ClosedRange<Int>? {
    switch self {
    case .ntfy: 1...5
    case .gotify: 0...10
    case .pushover: -2...2
    case .slack, .discord, .teams, .telegram, .matrix, .pagerduty: nil
    }
  }

  func post(_ notice: ChatNotice) -> Post? {
    switch self {
    case .slack: notice.slack
    case .discord: notice.discord
    case .teams: notice.teams
    case .telegram: notice.telegram
    case .matrix: notice.matrix
    case .ntfy: notice.ntfy
    case .gotify: notice.gotify
    case .pushover: notice.pushover
    case .pagerduty: notice.pagerduty
    }
  }
}
