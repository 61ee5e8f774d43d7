import CTaktSystem
import Glibc

package enum OpenFailure: Error, Hashable, Sendable {
  case system(Int32)
  case distrusted(Distrust)

  static func of<Value>(_ call: () throws(SystemError) -> Value) throws(OpenFailure) -> Value {
    do throws(SystemError) {
      return try call()
    } catch {
      throw .system(error.number)
    }
  }
}

/// Opens files name by name and lets `FileTrust` check each fact on the way: the descriptor handed
/// out is that of the file that was checked.
///
/// The folders of a load's files are walked to once each. Not safe from several threads.
package final class FileOpener {
  private static let foldersMax = 16

  package var parties: FileParties
  private let memory = WalkMemory()
  private var folders: [String: (descriptor: Int32, walk: WalkMemory)] = [:]

  package init(_ parties: FileParties) { self.parties = parties }

  deinit { forgetFolders() }

  /// A descriptor of the regular file at an absolute path, for reading; the caller closes it.
  package func open(_ path: String, as row: FileTrust) throws(OpenFailure) -> Int32 {
    let result = try walk(path, CSYSTEM_READ)
    if let problem = row.problem(in: result.trail, for: parties) {
      if result.descriptor >= 0 { close(result.descriptor) }
      throw .distrusted(problem)
    }
    guard result.descriptor >= 0 else { throw .system(-result.descriptor) }
    return result.descriptor
  }

  /// Checks an absolute path, and opens nothing for use.
  package func check(_ path: String, as row: FileTrust) throws(OpenFailure) {
    let result = try walk(path, CSYSTEM_LOOK)
    if result.descriptor >= 0 { close(result.descriptor) }
    if let problem = row.problem(in: result.trail, for: parties) { throw .distrusted(problem) }
    if result.descriptor < 0 { throw .system(-result.descriptor) }
  }

  /// Nil if an absolute path leads nowhere.
  package static func trail(of path: String) -> FileTrail? {
    guard let memory = WalkMemory() else { return nil }
    let descriptor = csystem_walk(-1, path, CSYSTEM_LOOK, memory.trail)
    guard descriptor >= 0 else { return nil }
    close(descriptor)
    return memory.facts
  }

  /// A link on the way that another user may have made to deceive (`strangeLink`).
  package static func strangeLink(to path: String) -> FileFact? {
    let absolute = path.hasPrefix("/") ? path : SmallFile.realPath(".").map { "\($0)/\(path)" }
    return absolute.flatMap(trail(of:))?.strangeLink
  }

  private func walk(
    _ path: String, _ purpose: csystem_purpose
  ) throws(OpenFailure) -> (descriptor: Int32, trail: FileTrail) {
    guard let memory else { throw .system(ENOMEM) }
    if let (folder, name) = Self.parts(of: path), let known = self.folder(folder) {
      memory.set(known.walk)
      let descriptor = csystem_walk(known.descriptor, name, purpose, memory.trail)
      return (descriptor, memory.facts)
    }
    memory.set(nil)
    let descriptor = csystem_walk(-1, path, purpose, memory.trail)
    return (descriptor, memory.facts)
  }

  private func folder(_ path: String) -> (descriptor: Int32, walk: WalkMemory)? {
    if let known = folders[path] { return known }
    guard let walk = WalkMemory() else { return nil }
    let descriptor = csystem_walk(-1, path, CSYSTEM_LOOK, walk.trail)
    guard descriptor >= 0 else { return nil }
    // A relative walk continues from the last fact.
    guard csystem_trail_last(walk.trail) == csystem_trail_count(walk.trail) - 1 else {
      close(descriptor)
      return nil
    }
    if folders.count == Self.foldersMax { forgetFolders() }
    folders[path] = (descriptor, walk)
    return (descriptor, walk)
  }

  private func forgetFolders() {
    for folder in folders.values { close(folder.descriptor) }
    folders = [:]
  }

  /// Nil if the last name is not a plain one.
  private static func parts(of path: String) -> (folder: String, name: String)? {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    let name = String(path[path.utf8.index(after: slash)...])
    let folder = slash == path.utf8.startIndex ? "/" : String(path[..<slash])
    return name.isEmpty || name == "." || name == ".." ? nil : (folder, name)
  }
}
