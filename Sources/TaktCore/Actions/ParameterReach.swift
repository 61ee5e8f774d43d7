/// What the value of a parameter leads to. Nobody sets over TCP what leads anywhere.
package enum ParameterReach: String, CaseIterable, Hashable, Sendable {
  /// Nothing: a text, a number or a choice that changes what is done, and not to what.
  case nothing
  /// A folder, or how far below it an action goes.
  case path
  case program
  /// A URL, a port, or the service behind one.
  case address
  /// The name of a server, or whether it must prove that it is that one.
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

  /// Whether what is sent ends up elsewhere when it changes.
  fileprivate var movesRequests: Bool {
    switch self {
    case .nothing, .user, .path: false
    case .program, .address, .host, .header, .file: true
    }
  }
}

extension ParameterSchema {
  /// Whether a job may open it to triggers over TCP. One of which nobody says what it reaches counts
  /// as reaching something, and so does a path.
  package var mayBeOpened: Bool { effectiveReach == .nothing && !kind.hasMap }

  /// What it reaches; nil where nobody says. A path reaches a path at least.
  package var effectiveReach: ParameterReach? {
    kind.isPath && (reach == nil || reach == .nothing) ? .path : reach
  }
}

extension [ParameterSchema] {
  /// The parameter that keeps secrets from being sent, because a trigger has set it and it decides
  /// where they go; nil where none does, or where there are none to send.
  ///
  /// A credential belongs to its server, so that only what leads to another one keeps it back. A
  /// secret in a text, such as the body of a mail, belongs to its recipients as well.
  ///
  /// - Parameters:
  ///   - given: the names of the parameters that the trigger has set.
  ///   - hasMore: whether the action is told secrets besides.
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
