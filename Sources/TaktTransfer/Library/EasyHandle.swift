import CTaktTransfer
import Synchronization

/// The library's handle of one transfer, with the memory that the library reads meanwhile. For the
/// transfers' thread only.
final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  /// The library's text for a failure; this C array lives as long as the handle.
  private let message: UnsafeMutablePointer<CChar>
  private var lists: [UnsafeMutablePointer<curl_slist>] = []
  private var sockets: OpaquePointer?

  init() throws(TransferFailure) {
    guard let pointer = ctransfer_easy_init() else {
      throw TransferFailure(.other, "libcurl is out of memory")
    }
    self.pointer = pointer
    message = .allocate(capacity: Int(CURL_ERROR_SIZE))
    message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    ctransfer_set_pointer(pointer, CURLOPT_ERRORBUFFER, message)
  }

  deinit {
    // Freed after the handle, because the library might still read it.
    ctransfer_easy_cleanup(pointer)
    for list in lists { ctransfer_list_free(list) }
    if let sockets { ctransfer_sockets_release(sockets) }
    message.deallocate()
  }

  func set(_ option: CURLoption, _ value: Int) throws(TransferFailure) {
    try check(ctransfer_set_number(pointer, option, value))
  }

  func set(_ option: CURLoption, _ isOn: Bool) throws(TransferFailure) {
    try set(option, isOn ? 1 : 0)
  }

  func set(_ option: CURLoption, bytes count: Int) throws(TransferFailure) {
    try check(ctransfer_set_size(pointer, option, curl_off_t(count)))
  }

  /// The library keeps a copy.
  func set(_ option: CURLoption, _ text: String) throws(TransferFailure) {
    try check(ctransfer_set_text(pointer, option, text))
  }

  func set(_ option: CURLoption, list texts: [String]) throws(TransferFailure) {
    var list: UnsafeMutablePointer<curl_slist>?
    for text in texts {
      guard let longer = ctransfer_list_append(list, text) else {
        ctransfer_list_free(list)
        throw TransferFailure(.other, "libcurl is out of memory")
      }
      list = longer
    }
    if let list { lists.append(list) }
    try check(ctransfer_set_list(pointer, option, list))
  }

  /// Sets a request's body, of which the library keeps a copy.
  func setBody(_ bytes: [UInt8]) throws(TransferFailure) {
    try set(CURLOPT_POSTFIELDSIZE_LARGE, bytes: bytes.count)
    let code = bytes.withUnsafeBytes {
      // An empty array has no address, and the library takes that for no body at all.
      var nothing = UInt8(0)
      guard let base = $0.baseAddress else {
        return ctransfer_set_pointer(pointer, CURLOPT_COPYPOSTFIELDS, &nothing)
      }
      return ctransfer_set_pointer(
        pointer, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: base))
    }
    try check(code)
  }

  /// Sets the options of all transfers: the time limit, the protocols, the trust.
  func setCommon(
    protocols: String, mask: Int32, timeout: Duration, trust: TransferTrust
  ) throws(TransferFailure) {
    // Signals belong to the program.
    try set(CURLOPT_NOSIGNAL, true)
    // A stop does not wait for a name server.
    try? set(ctransfer_quick_exit, true)
    // curl 7.85 and later take a text.
    if ctransfer_set_text(pointer, ctransfer_protocols, protocols) != CURLE_OK {
      try set(CURLOPT_PROTOCOLS, Int(mask))
    }
    try set(CURLOPT_FOLLOWLOCATION, false)
    try set(CURLOPT_DNS_CACHE_TIMEOUT, 0)
    let milliseconds = max(1, timeout.milliseconds)
    try set(CURLOPT_TIMEOUT_MS, milliseconds)
    try set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds)
    try set(trust)
  }

  private func set(_ trust: TransferTrust) throws(TransferFailure) {
    switch trust {
    case .system: break
    case .anything:
      try set(CURLOPT_SSL_VERIFYPEER, false)
      try set(CURLOPT_SSL_VERIFYHOST, false)
    case .certificates(let bytes, let path):
      // The bytes were read on a thread that may wait for the file system; old versions read the
      // file here.
      let code = bytes.withUnsafeBytes {
        ctransfer_set_blob(pointer, ctransfer_certificates, $0.baseAddress, $0.count)
      }
      if code != CURLE_OK { try set(CURLOPT_CAINFO, path) }
      // Removes the system's certificates from the trust; a library that cannot do so refuses this
      // option.
      ctransfer_set_text(pointer, CURLOPT_CAPATH, nil)
    }
  }

  /// Makes the library call `receiver` with `context`, for an option such as
  /// `CURLOPT_WRITEFUNCTION`.
  func set(
    _ option: CURLoption, _ receiver: @escaping ctransfer_receiver, with contextOption: CURLoption,
    _ context: UnsafeMutableRawPointer
  ) throws(TransferFailure) {
    try check(ctransfer_set_receiver(pointer, option, receiver, contextOption, context))
  }

  /// Makes the library call `callback` with the traffic of both directions.
  func setDebug(
    _ callback: @escaping curl_debug_callback, _ context: UnsafeMutableRawPointer
  ) throws(TransferFailure) {
    try check(ctransfer_set_debug(pointer, callback, context))
  }

  /// Tracks the sockets, for `stopReading`.
  func watchSockets() { sockets = ctransfer_sockets_watch(pointer) }

  /// Gives the end of the stream to a reader that waits for an answer.
  func stopReading() { if let sockets { ctransfer_sockets_stop_reading(sockets) } }

  func number(_ info: CURLINFO) -> Int {
    var value = 0
    return ctransfer_get_number(pointer, info, &value) == CURLE_OK ? value : 0
  }

  /// For values that the library keeps in 64 bits.
  func size(_ info: CURLINFO) -> Int64 {
    var value = curl_off_t(0)
    return ctransfer_get_size(pointer, info, &value) == CURLE_OK ? Int64(value) : 0
  }

  /// The reason of a failure, in the library's words.
  func message(for code: CURLcode) -> String {
    let text = String(cString: message)
    return text.isEmpty ? String(cString: ctransfer_text_of(code)) : text
  }

  private func check(_ code: CURLcode) throws(TransferFailure) {
    guard code == CURLE_OK else {
      throw TransferFailure(.other, String(cString: ctransfer_text_of(code)))
    }
  }
}

extension Duration {
  /// Whole milliseconds, at most a year.
  fileprivate var milliseconds: Int {
    let bounded = min(self, .seconds(365 * 86_400))
    return Int(bounded / .milliseconds(1))
  }
}

/// libcurl, loaded at the first transfer: a process without transfers does not pay for it.
enum CurlLibrary {
  private static let isLoaded = Mutex(false)

  /// A failed load is repeated at the next transfer, so that installing the package is enough.
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
