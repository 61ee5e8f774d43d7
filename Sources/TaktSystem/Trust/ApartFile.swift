import CTaktSystem
import Glibc

/// Reads files whose file system may not answer: the thread waits, but the process can end.
package enum ApartFile {
  /// The whole file at an absolute path, checked against its row before anything of it is handed
  /// out, with its status. A file that is not regular is not opened as root.
  package static func read(
    _ path: String, bytesMax: Int, as row: FileTrust, for parties: FileParties
  ) throws(OpenFailure) -> (bytes: [UInt8], file: FileFact) {
    // Only root can be led to a file that the other user may not read.
    let memory = parties.own == 0 ? WalkMemory() : nil
    if parties.own == 0, memory == nil { throw .system(ENOMEM) }
    var status = stat()
    var bytes = [UInt8](repeating: 0, count: bytesMax + 1)
    let count = bytes.withUnsafeMutableBytes {
      csystem_apart_read(path, &status, $0.baseAddress, $0.count, memory?.trail)
    }
    let trail = memory?.facts
    if let trail, let problem = row.problem(in: trail, for: parties) {
      if case .wrongType(let type) = problem.reason {
        throw .system(type == .folder ? EISDIR : EINVAL)
      }
      throw .distrusted(problem)
    }
    guard count >= 0 else { throw .system(Int32(truncatingIfNeeded: -count)) }
    var file = FileFact(FileStatus(status), path: path)
    // It may have been mounted by another user.
    if let trail, let last = trail.last { file.owner = trail.facts[last].owner }
    guard file.type == .file else { throw .system(file.type == .folder ? EISDIR : EINVAL) }
    if count > bytesMax { throw .system(EFBIG) }
    return (Array(bytes[..<count]), file)
  }
}
