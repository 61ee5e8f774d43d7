import Synchronization

/// Where the web page is, with its token: known when it is listened to. Safe from any thread.
final class NetworkAddress: Sendable {
  private let state = Mutex<(address: String, tokenFile: String)?>(nil)

  /// The address with the token as it is now; nil where there is none.
  var address: String? {
    guard let (address, file) = state.withLock({ $0 }), let token = try? Token.read(file) else {
      return nil
    }
    return "\(address)/#token=\(String(decoding: token, as: UTF8.self))"
  }

  func set(_ address: String, tokenFile: String) {
    state.withLock { $0 = (address, tokenFile) }
  }
}
