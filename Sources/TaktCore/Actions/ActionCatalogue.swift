/// The named actions that a jobs file may use, with their parameters: all that is needed to check a
/// file before anything runs.
///
/// Safe from any thread.
package protocol ActionCatalogue: Sendable {
  /// In any order.
  var actionNames: [String] { get }

  /// Nil if there is no action of the name.
  func parameters(of action: String) -> [ParameterSchema]?

  /// Problems of the given parameters, without defaults, although each is of its kind: two that
  /// exclude each other, one without effect, a word that is no status. A text with placeholders is
  /// not checked before it is expanded.
  func problems(of action: String, in parameters: Parameters) -> [ParameterProblem]

  func traits(of action: String, with parameters: Parameters) -> ActionTraits
}

extension ActionCatalogue {
  package func problems(of action: String, in parameters: Parameters) -> [ParameterProblem] { [] }

  package func traits(of action: String, with parameters: Parameters) -> ActionTraits { [] }
}

/// The effects of a named action on the machine, as far as a jobs file is checked for them.
package struct ActionTraits: OptionSet, Hashable, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// It acts on files or processes of this machine with the rights that takt has itself, whatever
  /// `user` and `group` the job names.
  package static let usesOwnRights = Self(rawValue: 1)

  /// Its work is a command, which is stopped by a signal.
  package static let isCommand = Self(rawValue: 2)

  /// It ends with an exit status and prints on two streams, as a command does.
  package static let hasExitStatus = Self(rawValue: 4)
}

/// A problem of an action's parameters although each of them, by itself, is of its kind.
package struct ParameterProblem: Hashable, Sendable {
  /// Nil if a parameter is missing.
  package var parameter: String?
  package var message: String
  /// True if it may be intended: then it is a warning of the jobs file. Default false.
  package var isDoubt = false

  package init(_ parameter: String?, _ message: String, isDoubt: Bool = false) {
    self.parameter = parameter
    self.message = message
    self.isDoubt = isDoubt
  }
}
