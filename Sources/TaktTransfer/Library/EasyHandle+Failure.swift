import CTaktTransfer
import Glibc

extension EasyHandle {
  func failure(_ code: CURLcode) -> TransferFailure {
    let text = message(for: code)
    // The library's buffer refuses a line beyond its bound.
    if Self.tooLong.contains(code.rawValue), missingLibraryCause(text) == nil {
      return TransferFailure(.badProtocol, "a line of the answer is too long")
    }
    let cause = cause(of: code, text)
    // The library quotes a proxy's URL, in which there may be a password.
    if cause == .proxy || text.lowercased().contains("proxy") {
      return TransferFailure(cause, String(cString: ctransfer_text_of(code)))
    }
    if code == CURLE_SSL_CACERT_BADFILE || text.contains("CA certificate blob") {
      return TransferFailure(cause, "ca_file contains no PEM certificate")
    }
    return TransferFailure(cause, text)
  }

  /// 100 is `CURLE_TOO_LARGE`, which old headers lack.
  private static let tooLong: Set = [CURLE_OUT_OF_MEMORY.rawValue, 100]

  private func cause(of code: CURLcode, _ text: String) -> TransferFailure.Cause {
    switch code {
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: return .proxy
    case CURLE_COULDNT_RESOLVE_HOST: return missingLibraryCause(text) ?? .noAddress
    case CURLE_COULDNT_CONNECT: return connectCause(text)
    case CURLE_OPERATION_TIMEDOUT: return .timeout
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT,
      CURLE_SSL_SHUTDOWN_FAILED, CURLE_USE_SSL_FAILED:
      return .tls
    case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_SEND_ERROR, CURLE_RECV_ERROR:
      let refusal = number(CURLINFO_HTTP_CONNECTCODE)
      if refusal != 0, refusal / 100 != 2 { return .proxy }
      if text.lowercased().contains("proxy") { return .proxy }
      return Self.nonsense.contains(where: text.contains) ? .badProtocol : .closed
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_HTTP2_STREAM,
      CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR:
      return .badProtocol
    default: return missingLibraryCause(text) ?? .other
    }
  }

  /// Signs of an unreadable answer, for which the library has the code of a lost connection.
  private static let nonsense = ["chunk", "Too large", "Nul byte"]

  private func connectCause(_ text: String) -> TransferFailure.Cause {
    let number = Int32(truncatingIfNeeded: number(CURLINFO_OS_ERRNO))
    switch number {
    case ECONNREFUSED: return .refused
    case ECONNRESET, EPIPE: return .closed
    case EHOSTUNREACH, ENETUNREACH, ENETDOWN, EHOSTDOWN: return .unreachable
    case ETIMEDOUT: return .timeout
    case EMFILE, ENFILE: return .noDescriptors
    // Without a number no connection was tried: there is no way to the proxy.
    case 0: return missingLibraryCause(text) ?? (text.contains("proxy") ? .proxy : .unreachable)
    default: return missingLibraryCause(text) ?? .system(number)
    }
  }

  /// A shortage of threads or descriptors, if that is the reason: the library calls it a failure to
  /// resolve.
  private func missingLibraryCause(_ text: String) -> TransferFailure.Cause? {
    if text.contains("thread failed to start") { return .noThread }
    let probe = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard probe >= 0 else { return .noDescriptors }
    close(probe)
    return nil
  }
}
