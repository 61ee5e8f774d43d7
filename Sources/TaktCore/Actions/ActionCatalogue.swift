/// The named actions that a jobs file may use, with what they take: all that is needed to check a
/// file before anything runs.
///
/// Safe from any thread.
package protocol ActionCatalogue: Sendable {
  /// The names of all actions, in any order.
  var actionNames: [String] { get }

  /// What the named action takes; nil when there is none of the name.
  func parameters(of action: String) -> [ParameterSchema]?

  /// What is wrong with the parameters that are given, without defaults, although each is of its
  /// kind: two that exclude each other, one that has no effect, a word that is no status. A text
  /// with placeholders is not judged before it is expanded.
  func problems(of action: String, in parameters: Parameters) -> [ParameterProblem]

  func traits(of action: String, with parameters: Parameters) -> ActionTraits
}

extension ActionCatalogue {
  package func problems(of action: String, in parameters: Parameters) -> [ParameterProblem] { [] }

  package func traits(of action: String, with parameters: Parameters) -> ActionTraits { [] }
}

/// What a named action does to the machine, as far as a jobs file is judged by it.
package struct ActionTraits: OptionSet, Hashable, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// It acts on files or processes of this machine with the rights that takt has itself, whatever
  /// `user` and `group` the job names.
  package static let usesOwnRights = Self(rawValue: 1)

  /// It comes down to a command, which is stopped by a signal.
  package static let isCommand = Self(rawValue: 2)

  /// It ends with an exit status and prints on two streams, as a command does.
  package static let hasExitStatus = Self(rawValue: 4)
}

/// What is wrong with the parameters of an action although each of them, by itself, is of its kind.
package struct ParameterProblem: Hashable, Sendable {
  /// The parameter at fault; nil when it is one that is missing.
  package var parameter: String?
  package var message: String
  /// Whether it may be meant as it is: then it is a warning of the jobs file. Default false.
  package var isDoubt = false

  package init(_ parameter: String?, _ message: String, isDoubt: Bool = false) {
    self.parameter = parameter
    self.message = message
    self.isDoubt = isDoubt
  }
}
