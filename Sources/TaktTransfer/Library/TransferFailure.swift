/// Why a transfer has no reply.
package struct TransferFailure: Error, Hashable {
  /// The kind of failure, for programs.
  package enum Cause: Hashable, Sendable {
    /// libcurl is not installed, or too old.
    case noLibrary
    case noThread, noDescriptors
    /// Nothing listens at the address.
    case refused
    case unreachable
    /// The host's name has no address, or is none.
    case noAddress
    case timeout
    /// The certificate is not trusted, or TLS fails otherwise.
    case tls
    /// The server closed the connection too early.
    case closed
    /// The server does not keep to the protocol, or exceeds a bound.
    case badProtocol
    /// The proxy of the environment cannot be used, or refuses.
    case proxy
    case cancelled
    /// The server refuses STARTTLS, with its code; nil where it does not offer it.
    case startTLS(Int?)
    /// The server refuses the user or the password; nil where it offers no known way.
    case authentication(Int?)
    /// The server refuses a recipient; the others have received the mail.
    case recipient(Int)
    /// The server refuses the mail.
    case mail(Int)
    /// A failure of the system, by its number.
    case system(Int32)
    /// Something else; the detail says what.
    case other
  }

  package var cause: Cause
  /// What the library or the server says; empty for nothing.
  package var detail: String

  package init(_ cause: Cause, _ detail: String = "") {
    self.cause = cause
    self.detail = detail
  }
}
