import TaktCore
import TaktSystem

/// Opens the files of one load, each by its row of `FileTrust`.
final class LoadFiles {
  /// Judges what is opened; nil where takt is not root.
  private let opener: FileOpener?
  /// The files that may be opened; nil for any.
  let reach: FileReach?
  /// The users who owned the files when they were loaded before, by absolute path.
  private let ownersBefore: [String: UInt32]
  /// As root, the users who own the files that have been read, by absolute path.
  private(set) var owners: [String: UInt32] = [:]
  /// What the files are that have been read, by absolute path; jobs files are not listed.
  private(set) var roles: [String: Set<String>] = [:]
  /// How the files were when they were read, by absolute path.
  private(set) var stamps: [String: FileStamp] = [:]
  /// The paths, as they were given, of files that have no name any more, in order.
  private(set) var namelessPaths: [String] = []

  /// - Parameter judgesAsRoot: whether files are judged as by root.
  init(judgesAsRoot: Bool = false, reach: FileReach? = nil, ownersBefore: [String: UInt32] = [:]) {
    opener = judgesAsRoot ? FileOpener(FileParties(own: 0)) : nil
    self.reach = reach
    self.ownersBefore = ownersBefore
  }

  var parties: FileParties? { opener?.parties }

  /// Notes who owns the main jobs file: files that it names may belong to that user, too.
  func noteJobsFile(owner: UInt32) { opener?.parties.jobsFile = owner }

  func read(
    _ path: String, as row: FileTrust, bound: Int
  ) throws(FileProblem) -> FileReader.Contents {
    let contents = try FileReader(bound: bound, opener: opener, reach: reach).read(path, as: row)
    if contents.isNameless { namelessPaths.append(path) }
    stamps[FilePath.absolute(path)] = contents.stamp
    try note(contents.owner, of: path, row)
    return contents
  }

  /// As `read`, where the file system may not answer.
  func readPatiently(
    _ path: String, as row: FileTrust, bound: Int
  ) throws(FileProblem) -> PatientReader.Contents {
    let contents = try PatientReader(bound: bound, parties: parties, reach: reach)
      .read(path, as: row)
    if contents.isNameless { namelessPaths.append(path) }
    stamps[FilePath.absolute(path)] = contents.stamp
    try note(contents.owner, of: path, row)
    return contents
  }

  /// Judges what is at an absolute path without a look into it. What is not there has nothing in it
  /// that could be believed.
  func check(_ path: String, as row: FileTrust) throws(FileProblem) {
    do throws(OpenFailure) {
      try opener?.check(path, as: row)
    } catch {
      if case .distrusted(let problem) = error { throw .distrusted(problem) }
    }
  }

  /// What takt has opened before may not become another user's, unless that is root.
  private func note(_ owner: UInt32, of path: String, _ row: FileTrust) throws(FileProblem) {
    let absolute = FilePath.absolute(path)
    if !FileReach.jobsFiles.contains(row.kind.rawValue) {
      roles[absolute, default: []].insert(row.kind.rawValue)
    }
    guard opener != nil else { return }
    if let before = ownersBefore[absolute], before != owner, owner != 0 {
      throw .distrusted(
        Distrust(path: absolute, row: row, reason: .newOwner(owner, before: before)))
    }
    owners[absolute] = owner
  }
}
