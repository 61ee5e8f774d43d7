import TaktSystem

/// The facts about a folder that is to hold takt's state.
struct StateFolderFinding: Hashable {
  enum Contents: Hashable, CaseIterable {
    case nothing
    /// The lock of a daemon, at least.
    case state
    case other
  }

  enum Verdict: Hashable {
    case use
    /// Use takt's own folder within it, which exists.
    case useWithin
    /// Make takt's own folder within it: it is a place for many users, such as a volume.
    case makeWithin
    /// Use it after removing its group's right to write.
    case restrict
    case refuse(StateFolderProblem.Kind)
  }

  var owner: UInt32
  /// The twelve permission bits.
  var mode: UInt32
  var contents: Contents
  /// True if another file system is mounted here.
  var isMount: Bool
  /// True if takt has made a folder of its own within it.
  var hasOwnWithin: Bool

  /// A pure function: one row for each kind of folder.
  func verdict(for parties: FileParties) -> Verdict {
    let fact = FileFact(path: "", type: .folder, owner: owner, mode: mode)
    let isTrusted = FileTrust.stateFolder.problem(of: fact, for: parties) == nil
    return switch (isTrusted, isForMany(parties), isOwn: owner == parties.own) {
    case (true, _, _): hasOwnWithin ? .useWithin : .use
    case (false, true, _): .makeWithin
    case (false, false, isOwn: false): .refuse(.owner(owner))
    // Only a folder that holds nothing else is changed.
    case (false, false, isOwn: true):
      mode & (0o002 | 0o1000) == 0 && contents != .other
        ? .restrict : .refuse(.writable(mode: mode))
    }
  }

  /// True for a mount, or a folder that root has made for others to write.
  private func isForMany(_ parties: FileParties) -> Bool {
    parties.own == 0
      ? isMount && owner == 0 : isMount || owner == 0 || owner == parties.unmapped
  }
}
