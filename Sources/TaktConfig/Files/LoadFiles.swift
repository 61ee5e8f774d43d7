import TaktCore
import TaktSystem

/// Opens the files of one load, each by its row of `FileTrust`.
final class LoadFiles {
  /// Checks each file; nil if takt is not root.
  private let opener: FileOpener?
  /// The files that may be opened; nil for any.
  let reach: FileReach?
  /// The owners of the files at the previous load, by absolute path.
  private let ownersBefore: [String: UInt32]
  /// As root, the owners of the files read so far, by absolute path.
  private(set) var owners: [String: UInt32] = [:]
  /// The roles of the files read so far, by absolute path; jobs files are not listed.
  private(set) var roles: [String: Set<String>] = [:]
  /// The stamps of the files when they were read, by absolute path.
  private(set) var stamps: [String: FileStamp] = [:]
  /// The given paths of files whose name is gone, in order.
  private(set) var namelessPaths: [String] = []

  /// - Parameter judgesAsRoot: true to check files as root does.
  init(judgesAsRoot: Bool = false, reach: FileReach? = nil, ownersBefore: [String: UInt32] = [:]) {
    opener = judgesAsRoot ? FileOpener(FileParties(own: 0)) : nil
    self.reach = reach
    self.ownersBefore = ownersBefore
  }

  var parties: FileParties? { opener?.parties }

  /// Notes the owner of the main jobs file: files that it names may belong to that user, too.
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

  /// Like `read`, for a file system that may not answer.
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

  /// Checks an absolute path without reading it. A missing file has no content that could be
  /// trusted.
  func check(_ path: String, as row: FileTrust) throws(FileProblem) {
    do throws(OpenFailure) {
      try opener?.check(path, as: row)
    } catch {
      if case .distrusted(let problem) = error { throw .distrusted(problem) }
    }
  }

  /// Refuses a new owner of a known file, except root.
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
