/// What a named action does to the machine, as far as a jobs file is judged by it.
package struct ActionTraits: OptionSet, Hashable, Sendable {
  /// A bit for each trait.
  package let rawValue: Int

  /// The traits of these bits.
  package init(rawValue: Int) { self.rawValue = rawValue }

  /// It acts on files or processes of this machine with the rights that takt has itself, whatever
  /// `user` and `group` the job names.
  package static let usesOwnRights = Self(rawValue: 1)

  /// It comes down to a command, which is stopped by a signal.
  package static let isCommand = Self(rawValue: 2)
}
