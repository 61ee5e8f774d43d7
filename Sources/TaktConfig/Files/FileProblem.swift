/// Why a file could not be read.
enum FileProblem: Error, Equatable {
  /// The system said no, with its error number.
  case system(Int32)
  /// Something else stands at the path: a folder, a pipe, a device.
  case notAFile(kind: String)
  /// More bytes than the bound.
  case tooLarge(bound: Int)
  /// Others than its owner may write to it.
  case writableByOthers(mode: UInt32, path: String)
  /// Others than its owner may write to the folder that it is in.
  case folderWritableByOthers(mode: UInt32, path: String)
}
