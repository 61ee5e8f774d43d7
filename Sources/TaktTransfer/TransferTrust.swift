/// Which certificates of a server are accepted.
package enum TransferTrust: Hashable, Sendable {
  /// Those that the system trusts.
  case system
  /// Those that these certificates in PEM have signed; they were read from `path`.
  case certificates([UInt8], path: String)
  /// Any.
  case anything
}
