/// The target that the value of a parameter decides. A parameter with a target cannot be set over
/// TCP.
package enum ParameterReach: String, CaseIterable, Hashable, Sendable {
  /// A text, a number or a choice that changes the work, and not its target.
  case nothing
  /// A folder, or the depth below it to which an action goes.
  case path
  case program
  /// A URL, a port, or the service behind one.
  case address
  /// The name of a server, or the check of its identity.
  case host
  /// An account, or a person who gets a message.
  case user
  /// A header of a request, or a credential in one.
  case header
  /// A file that is read, made or deleted.
  case file

  /// As part of a sentence: "an address".
  package var phrase: String {
    switch self {
    case .nothing: "nothing"
    case .address: "an address"
    case .path, .program, .host, .user, .header, .file: "a \(rawValue)"
    }
  }

  /// True if a change sends the request's data elsewhere.
  fileprivate var movesRequests: Bool {
    switch self {
    case .nothing, .user, .path: false
    case .program, .address, .host, .header, .file: true
    }
  }
}

extension ParameterSchema {
  /// True if a job may open it to triggers over TCP. An undeclared reach counts as reaching
  /// something, and so does a path.
  package var mayBeOpened: Bool { effectiveReach == .nothing && !kind.hasMap }

  /// Nil if it is not declared. A path reaches a path at least.
  package var effectiveReach: ParameterReach? {
    kind.isPath && (reach == nil || reach == .nothing) ? .path : reach
  }
}

extension [ParameterSchema] {
  /// The parameter that keeps secrets from being sent, because a trigger has set it and it decides
  /// where they go; nil if there is none, or if there are no secrets to send.
  ///
  /// A credential belongs to its server, so that only a parameter that leads to another server
  /// keeps it back. A secret in a text, such as the body of a mail, belongs to its recipients as
  /// well.
  ///
  /// - Parameters:
  ///   - given: the names of the parameters that the trigger has set.
  ///   - hasMore: true if the action gets further secrets.
  package func diversion(
    of parameters: Parameters, given: Set<String>, hasMore: Bool = false
  ) -> String? {
    if given.isEmpty { return nil }
    let own = parameters.filter { !given.contains($0.key) }
    let hasText = hasMore || own.values.contains { !Placeholders.secrets(in: $0).isEmpty }
    let hasCredential = hasText || contains { $0.isSecret && own[$0.name] != nil }
    guard hasCredential else { return nil }
    return first { schema in
      guard given.contains(schema.name), schema.effectiveReach != .nothing else { return false }
      return hasText || schema.effectiveReach?.movesRequests ?? true
    }?.name
  }
}
