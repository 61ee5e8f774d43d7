import CTaktSystem
import Glibc
import TaktCore

/// A secret with its value.
struct ReadSecret: Sendable {
  var name: String
  var delivery: Secret.Delivery
  var value: [UInt8]
}

/// Reads the values of secrets when an attempt starts.
enum SecretReader {
  /// A longer one is refused.
  static let bytesMax = 65_536

  /// The value. Throws when there is none, when it is too long, and when it comes from a file that
  /// is no regular one, which might make takt wait. As root also when others than root and the
  /// job's user own the file, or may write to it, and when it is root's but another user may have
  /// led takt to it.
  ///
  /// - Parameter user: who may own the file besides root; nil for nobody.
  static func value(of secret: Secret, for user: uid_t? = nil) throws(StartFailure) -> [UInt8] {
    do throws(StartFailure) {
      return try read(secret, user)
    } catch {
      var failure = error
      failure.subject =
        switch secret.source {
        case .environment(let name): "the variable '\(name)'"
        case .file(let path): "the file '\(path)'" + error.subject
        }
      throw failure
    }
  }

  /// Who may own secret files of this job besides root; nil for nobody.
  static func owner(for request: AttemptRequest) -> uid_t? {
    let identity = request.spec.execution.identity
    return identity.user == nil ? nil : SystemAccounts().account(for: identity)?.uid
  }

  /// The value of the secret that a job calls so, which a failure names as well.
  static func value(
    of secret: Secret, named name: String, for user: uid_t? = nil
  ) throws(StartFailure) -> [UInt8] {
    do throws(StartFailure) {
      return try value(of: secret, for: user)
    } catch {
      var failure = error
      failure.subject = "'\(name)' from \(error.subject)"
      throw failure
    }
  }

  private static func read(_ secret: Secret, _ user: uid_t?) throws(StartFailure) -> [UInt8] {
    switch secret.source {
    case .environment(let name):
      guard let value = InheritedEnvironment.value(of: name) else { throw failure(ENOENT) }
      guard value.count <= bytesMax else { throw failure(EFBIG) }
      return value
    case .file(let path): return try contents(of: path, user)
    }
  }

  private static func contents(of path: String, _ user: uid_t?) throws(StartFailure) -> [UInt8] {
    var refusal = ""
    do throws(SystemError) {
      // One more for the line end.
      var bytes = try SmallFile.readApart(
        path, bytesMax: bytesMax + 1, tracesLinks: geteuid() == 0
      ) { status, isForeign throws(SystemError) in
        guard geteuid() == 0 else { return }
        refusal = Self.refusal(of: status, at: path, user, isForeign: isForeign)
        if !refusal.isEmpty { throw SystemError("fstat", number: EPERM) }
        let mode = status.st_mode & 0o7777
        if mode & 0o044 != 0 {
          Notices.postOnce(
            "the secret file '\(path)' can be read by other users (mode 0\(String(mode, radix: 8))). "
              + "Run `chmod go-r \(path)`")
        }
      }
      if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
      if bytes.count <= bytesMax { return bytes }
    } catch {
      var failure = failure(error.number)
      failure.subject = refusal
      throw failure
    }
    throw failure(EFBIG)
  }

  /// Why a file is not believed, and what to do; empty when it is.
  private static func refusal(
    of status: stat, at path: String, _ user: uid_t?, isForeign: Bool
  ) -> String {
    // The job's user could otherwise read any file of root's by a link to it.
    if status.st_uid == 0, isForeign {
      return " (owned by root, but reached by a link that another user may have made, refused "
        + "because takt runs as root; name the file itself)"
    }
    if status.st_uid != 0, status.st_uid != user {
      return " (owned by user \(status.st_uid), refused because takt runs as root; run "
        + "`chown root \(path)`)"
    }
    let mode = status.st_mode & 0o7777
    if mode & 0o022 != 0 {
      return
        " (group- or world-writable, mode 0\(String(mode, radix: 8)), refused because takt runs "
        + "as root; run `chmod go-w \(path)`)"
    }
    return ""
  }

  /// A file in memory that nobody can change; its path is told to the child alone.
  static func file(_ value: [UInt8]) throws(StartFailure) -> Int32 {
    let descriptor = csystem_memory_file("takt-secret", value, value.count)
    guard descriptor >= 0 else { throw failure(errno) }
    return descriptor
  }

  static func failure(_ number: Int32) -> StartFailure {
    StartFailure(stage: .secret, number: number)
  }
}
