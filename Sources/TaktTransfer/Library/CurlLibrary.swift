internal import CTaktTransfer
import Synchronization

/// libcurl, loaded at the first transfer: a process without transfers does not pay for it.
enum CurlLibrary {
  private static let isLoaded = Mutex(false)

  /// Loads the library. Where that fails it is tried again at the next transfer, so that installing
  /// the package is enough.
  static func load() throws(TransferFailure) {
    let problem: String? = isLoaded.withLock { isLoaded in
      guard !isLoaded else { return nil }
      guard let problem = ctransfer_load() else {
        isLoaded = true
        return nil
      }
      return String(cString: problem)
    }
    if let problem { throw TransferFailure(.noLibrary, problem) }
  }
}
