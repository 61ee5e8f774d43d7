import CTaktSystem
import Glibc
import TaktCore
import TaktSystem

struct ReadSecret: Sendable {
  var name: String
  var delivery: Secret.Delivery
  var value: [UInt8]
}

/// Reads the values of secrets when an attempt starts.
enum SecretReader {
  /// A longer one is refused.
  static let bytesMax = 65_536
  /// Bytes of line ends that are ignored at its end.
  private static let lineEndsMax = 64

  /// Throws if there is no value, if it is too long, and if it comes from a file that is not a
  /// regular one, which might make takt wait. As root also if others than root and the job's user
  /// own the file, or may write to it, and if it is root's but another user may have led takt to
  /// it.
  ///
  /// - Parameter user: a user besides root who may own the file; nil for none.
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

  /// The user besides root who may own secret files of this job; nil for none.
  static func owner(for request: AttemptRequest) -> uid_t? {
    let identity = request.spec.execution.identity
    return identity.user == nil ? nil : SystemAccounts().account(for: identity)?.uid
  }

  /// Like `value(of:for:)`, with the job's name of the secret in a failure.
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
    let parties = FileParties(own: geteuid(), jobUser: user)
    do throws(OpenFailure) {
      // Line ends are allowed on top.
      var (bytes, file) = try ApartFile.read(
        path, bytesMax: bytesMax + lineEndsMax, as: .secret, for: parties)
      if parties.own == 0, file.mode & 0o044 != 0 {
        Notices.postOnce(
          "the secret file '\(path)' can be read by other users (mode 0\(String(file.mode, radix: 8))). "
            + "Run `chmod go-r \(path)`")
      }
      // Editors and `echo` add them at the end of a file; no password ends so.
      while bytes.last == UInt8(ascii: "\n") || bytes.last == UInt8(ascii: "\r") {
        bytes.removeLast()
      }
      if bytes.count <= bytesMax { return bytes }
    } catch {
      switch error {
      case .distrusted(let problem):
        var failure = failure(EPERM)
        failure.subject = " (\(problem.advice))"
        throw failure
      case .system(let number): throw failure(number)
      }
    }
    throw failure(EFBIG)
  }

  /// A file in memory that cannot be changed; only the child gets its path.
  static func file(_ value: [UInt8]) throws(StartFailure) -> Int32 {
    let descriptor = csystem_memory_file("takt-secret", value, value.count)
    guard descriptor >= 0 else { throw failure(errno) }
    return descriptor
  }

  static func failure(_ number: Int32) -> StartFailure {
    StartFailure(stage: .secret, number: number)
  }
}
