import Glibc

/// Reads small files after checking them.
package enum TrustedFile {
  /// The whole file with its status. A relative path starts at the working folder.
  package static func read(
    _ path: String, bytesMax: Int, as row: FileTrust, for parties: FileParties
  ) throws(OpenFailure) -> (bytes: [UInt8], file: FileFact) {
    let descriptor = try open(path, as: row, for: parties)
    defer { close(descriptor) }
    let file = try OpenFailure.of { () throws(SystemError) in
      FileFact(try FileStatus(judging: descriptor), path: path)
    }
    if let problem = row.problem(of: file, for: parties) { throw .distrusted(problem) }
    let bytes = try OpenFailure.of { () throws(SystemError) in
      try SmallFile.read(descriptor, bytesMax: bytesMax)
    }
    return (bytes, file)
  }

  /// Why takt makes no file of its own at a path: others could put another one in its place. Asked
  /// where `read` has found no file.
  package static func problem(
    making path: String, as row: FileTrust, for parties: FileParties
  ) -> Distrust? {
    let path = absolute(path)
    guard var trail = FileOpener.trail(of: folder(of: path)) else { return nil }
    trail.facts.append(
      FileFact(path: path, owner: parties.own, mode: 0o600, folder: trail.last))
    trail.last = trail.facts.count - 1
    return row.problem(in: trail, for: parties)
  }

  private static func open(
    _ path: String, as row: FileTrust, for parties: FileParties
  ) throws(OpenFailure) -> Int32 {
    if parties.own == 0 {
      let path = absolute(path)
      if row.way == .whole { return try FileOpener(parties).open(path, as: row) }
      // The owner of its folder could put another file in its place.
      if let trail = FileOpener.trail(of: folder(of: path)),
        let around = trail.facts.last,
        let problem = row.problem(ofLinksOn: trail, for: parties)
          ?? row.problem(ofFoldersAbove: [around], for: parties)
      {
        throw .distrusted(problem)
      }
    }
    // Here nobody judges who has made a link: a private file is read through none.
    let link = row.way == .inside || row.isPrivate ? O_NOFOLLOW : 0
    let descriptor = Glibc.open(path, SmallFile.readingFlags | link)
    guard descriptor >= 0 else { throw .system(errno) }
    return descriptor
  }

  private static func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : workingFolder + path
  }

  private static func folder(of path: String) -> String {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    return folder.isEmpty ? "/" : folder
  }

  /// With a slash at its end.
  private static var workingFolder: String {
    guard let folder = getcwd(nil, 0) else { return "/" }
    // `getcwd` has allocated it, and nobody else has it.
    defer { free(folder) }
    return String(cString: folder) + "/"
  }
}
