/// The part of takt's own environment that a child starts with.
package enum EnvironmentInheritance: Hashable, Sendable {
  /// All of it for takt's own user; for another user a standard `PATH`, and `LANG` if takt has it.
  /// The user's HOME, LOGNAME, USER and SHELL come in any case.
  case byUser
  case all
  /// Nothing but a standard `PATH`.
  case none
  /// These variables, if takt has them, and a standard `PATH` if that is not one of them.
  case only([String])
}

extension EnvironmentInheritance {
  /// The `PATH` of commands that inherit none.
  package static let standardPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

  func words(for identity: UserAndGroup) -> String {
    switch self {
    case .byUser: identity.user == nil ? "true" : "by user"
    case .all: "true"
    case .none: "false"
    case .only(let names): names.joined(separator: ", ")
    }
  }
}
