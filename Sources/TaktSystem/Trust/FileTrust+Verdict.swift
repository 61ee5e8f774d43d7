extension FileTrust {
  /// Nil for a file that may be used.
  ///
  /// A pure function of the facts met on the way and of the users involved.
  package func problem(in trail: FileTrail, for parties: FileParties) -> Distrust? {
    guard let place = trail.last, applies(to: parties.own) else { return nil }
    let file = trail.facts[place]
    return problem(of: file, for: parties) ?? problem(ofWayTo: place, in: trail, for: parties)
  }

  /// Checks the file itself, however it was reached.
  package func problem(of file: FileFact, for parties: FileParties) -> Distrust? {
    guard applies(to: parties.own) else { return nil }
    if file.type != type { return distrust(file, .wrongType(file.type)) }
    if !parties.include(file.owner, in: owners) {
      return distrust(file, .owner(file.owner, permitted(for: parties)))
    }
    if isAlone, type != .folder, file.linkCount > 1 {
      return distrust(file, .hardLinks(file.linkCount))
    }
    // The owner of such a place may let others write there.
    guard way != .links, way != .noLinks, type != .socket else { return nil }
    if isPrivate, file.mode & 0o077 != 0 { return distrust(file, .readable(file.mode)) }
    let isSafe = type == .folder && way == .whole && file.isSticky
    if file.isOpen, !isSafe { return distrust(file, .writable(file.mode)) }
    return nil
  }

  /// Checks a file for a process that its owner may have handed it to.
  package func problem(
    ofOwner owner: UInt32, of path: String, for parties: FileParties
  ) -> Distrust? {
    guard applies(to: parties.own), !parties.include(owner, in: owners) else { return nil }
    return Distrust(
      path: path, row: self, reason: .owner(owner, permitted(for: parties)))
  }

  /// True if only root can have made a link: in a sticky folder others can neither remove nor
  /// replace it.
  package static func isRoots(_ link: FileFact, in folder: FileFact) -> Bool {
    link.owner == 0 && folder.owner == 0 && !folder.isReplaceable
  }

  private func problem(
    ofWayTo place: Int, in trail: FileTrail, for parties: FileParties
  ) -> Distrust? {
    // Checks of the folders above are for root, who is the one to be led astray.
    guard way == .whole || way == .everyName, parties.own == 0 else { return nil }
    let file = trail.facts[place]
    var trusted = parties.above.union([0])
    // Of a folder of takt's own the owner is takt.
    if parties.include(file.owner, in: owners) { trusted.insert(file.owner) }
    let around = file.folder.map { trail.facts[$0] }
    // Links first: to name the file itself is the better advice.
    if let problem = problem(ofLinksIn: trail, ownedBy: trusted) { return problem }
    if type == .file, file.linkCount > 1, let around,
      around.isOpen || !trusted.contains(around.owner)
    {
      return distrust(file, .otherName)
    }
    // The folder of a file has a stricter rule: any member of its group may put a file there.
    if type == .file, let around, around.isReplaceable {
      return distrust(around, .folderWritable(around.mode))
    }
    let folders = trail.facts.indices.filter { $0 != place }.map { trail.facts[$0] }
    return problem(ofFolders: folders, ownedBy: trusted, for: parties)
  }

  private func problem(ofLinksIn trail: FileTrail, ownedBy trusted: Set<UInt32>) -> Distrust? {
    for fact in trail.facts where fact.type == .link {
      let folder = fact.folder.map { trail.facts[$0] }
      let isSafe =
        trusted.contains(fact.owner)
        && folder.map { trusted.contains($0.owner) && !$0.isReplaceable } ?? false
      if !isSafe { return Distrust(path: fact.path, row: self, reason: .link) }
    }
    return nil
  }

  /// Nil if no link on the way leads where others want.
  package func problem(ofLinksOn trail: FileTrail, for parties: FileParties) -> Distrust? {
    problem(ofLinksIn: trail, ownedBy: parties.above.union([0]))
  }

  /// Nil if nobody else could replace anything below these folders.
  package func problem(ofFoldersAbove folders: [FileFact], for parties: FileParties) -> Distrust? {
    problem(ofFolders: folders, ownedBy: parties.above.union([0]), for: parties)
  }

  private func problem(
    ofFolders facts: [FileFact], ownedBy trusted: Set<UInt32>, for parties: FileParties
  ) -> Distrust? {
    for fact in facts where fact.type == .folder {
      if !trusted.contains(fact.owner), fact.owner != parties.unmapped {
        return distrust(fact, .folderOwner(fact.owner))
      }
      // In a sticky folder each user renames only their own.
      if fact.isOpenAbove, !fact.isSticky { return distrust(fact, .folderWritable(fact.mode)) }
    }
    return nil
  }

  private func distrust(_ fact: FileFact, _ reason: Distrust.Reason) -> Distrust {
    Distrust(path: fact.path, row: self, reason: reason)
  }

  /// The permitted owners, in words.
  private func permitted(for parties: FileParties) -> String {
    var words: [String] = []
    if owners.contains(.root) || parties.own == 0 { words.append("root") }
    if owners.contains(.own), parties.own != 0 { words.append("user \(parties.own)") }
    if owners.contains(.jobsFile), let user = parties.jobsFile, user != 0 {
      words.append(Owner.jobsFile.rawValue)
    }
    if owners.contains(.jobUser), parties.jobUser != nil { words.append(Owner.jobUser.rawValue) }
    return words.joined(separator: " or ")
  }
}
