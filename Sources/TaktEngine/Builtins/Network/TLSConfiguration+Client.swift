import NIOSSL

extension TLSConfiguration {
  /// A client's; nil for what the system trusts.
  static func client(trusting file: String?, isInsecure: Bool) -> TLSConfiguration? {
    guard file != nil || isInsecure else { return nil }
    var configuration = TLSConfiguration.makeClientConfiguration()
    if let file { configuration.trustRoots = .file(file) }
    if isInsecure { configuration.certificateVerification = .none }
    return configuration
  }
}
