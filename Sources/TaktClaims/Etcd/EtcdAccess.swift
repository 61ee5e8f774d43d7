import Glibc
import TaktSystem
package import TaktTransfer

/// The address of an etcd cluster, and takt's credentials for it.
package struct EtcdAccess: Sendable {
  /// The reason why there is no password, in words without secrets.
  package struct NoPassword: Error {
    package var description: String
    package init(_ description: String) { self.description = description }
  }

  package var endpoints: [TransferAddress]
  /// The file with the certificates, in PEM, that sign those of the servers. Nil for the system's.
  package var authority: String?
  /// The files with the certificate and the key that takt shows.
  package var certificate: (path: String, keyPath: String)?
  package var user: String?
  /// Is read again for each login, so that it may change.
  package var password: @Sendable () throws(NoPassword) -> String

  package init(
    endpoints: [TransferAddress], authority: String? = nil,
    certificate: (path: String, keyPath: String)? = nil, user: String? = nil,
    password: @escaping @Sendable () throws(NoPassword) -> String = { () throws(NoPassword) in "" }
  ) {
    self.endpoints = endpoints
    self.authority = authority
    self.certificate = certificate
    self.user = user
    self.password = password
  }

  /// The file is read each time, as it may be renewed.
  func trust() throws(EtcdProblem) -> TransferTrust {
    guard let authority else { return .system }
    do throws(OpenFailure) {
      // Anyone who can replace it decides which server takt trusts.
      let (bytes, _) = try TrustedFile.read(
        authority, bytesMax: Self.authorityBytesMax, as: .certificate,
        for: FileParties(own: geteuid()))
      return .certificates(bytes, path: authority)
    } catch {
      throw .unreadableFile(authority, error)
    }
  }

  /// Certificates are a matter of kilobytes; the system's own are 200.
  private static let authorityBytesMax = 16 << 20
}
