package struct TransferFailure: Error, Hashable {
  package enum Cause: Hashable, Sendable {
    /// libcurl is not installed, or too old.
    case noLibrary
    case noThread, noDescriptors
    /// Nothing listens at the address.
    case refused
    case unreachable
    /// The host's name has no address, or is no name.
    case noAddress
    case timeout
    /// The certificate is not trusted, or TLS fails for another reason.
    case tls
    /// The server closed the connection too early.
    case closed
    /// The server does not keep to the protocol, or exceeds a bound.
    case badProtocol
    /// The environment's proxy cannot be used, or refuses.
    case proxy
    case cancelled
    /// The server refuses STARTTLS, with this code; nil if it does not offer it.
    case startTLS(Int?)
    /// The server refuses the user or the password; nil if it offers no known method.
    case authentication(Int?)
    /// The server refuses a recipient; the others have received the mail.
    case recipient(Int)
    /// The server refuses the mail.
    case mail(Int)
    case system(Int32)
    case other
  }

  package var cause: Cause
  /// The library's or the server's own words; may be empty.
  package var detail: String

  package init(_ cause: Cause, _ detail: String = "") {
    self.cause = cause
    self.detail = detail
  }
}
