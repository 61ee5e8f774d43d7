import TaktClaims
import TaktCore
import TaktEngine
import TaktTransfer

extension EtcdAccess {
  init(_ settings: EtcdSettings) {
    var certificate: (path: String, keyPath: String)?
    if let path = settings.certificate, let key = settings.key { certificate = (path, key) }
    self.init(
      endpoints: settings.endpoints.map {
        TransferAddress(scheme: $0.scheme, host: $0.host, port: $0.port)
      }, authority: settings.authority, certificate: certificate, user: settings.user,
      password: { [secret = settings.password] () throws(NoPassword) in
        guard let secret else { return "" }
        do throws(SecretText.Failure) {
          return try SecretText.read(secret)
        } catch {
          throw NoPassword(error.description)
        }
      })
  }
}
