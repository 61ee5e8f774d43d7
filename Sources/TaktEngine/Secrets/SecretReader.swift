import CTaktSystem
import Glibc
import TaktCore

/// Reads the values of secrets when an attempt starts.
enum SecretReader {
  /// A longer one is refused.
  static let bytesMax = 65_536

  /// The value. Throws when there is none, when it is too long, and when it comes from a file that
  /// is no regular one, which might make takt wait.
  static func value(of secret: Secret) throws(Spawn.Failure) -> [UInt8] {
    do throws(Spawn.Failure) {
      return try read(secret)
    } catch {
      var failure = error
      failure.subject =
        switch secret.source {
        case .environment(let name): "the variable '\(name)'"
        case .file(let path): "the file '\(path)'"
        }
      throw failure
    }
  }

  /// The value of the secret that a job calls so, which a failure names as well.
  static func value(of secret: Secret, named name: String) throws(Spawn.Failure) -> [UInt8] {
    do throws(Spawn.Failure) {
      return try value(of: secret)
    } catch {
      var failure = error
      failure.subject = "'\(name)' from \(error.subject)"
      throw failure
    }
  }

  private static func read(_ secret: Secret) throws(Spawn.Failure) -> [UInt8] {
    switch secret.source {
    case .environment(let name):
      guard let value = InheritedEnvironment.value(of: name) else { throw failure(ENOENT) }
      guard value.count <= bytesMax else { throw failure(EFBIG) }
      return value
    case .file(let path): return try contents(of: path)
    }
  }

  private static func contents(of path: String) throws(Spawn.Failure) -> [UInt8] {
    do throws(SystemError) {
      // One more for the line end.
      var bytes = try SmallFile.read(path, bytesMax: bytesMax + 1)
      if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
      if bytes.count <= bytesMax { return bytes }
    } catch {
      throw failure(error.number)
    }
    throw failure(EFBIG)
  }

  /// A file in memory that nobody can change; its path is told to the child alone.
  static func file(_ value: [UInt8]) throws(Spawn.Failure) -> Int32 {
    let descriptor = csystem_memory_file("takt-secret", value, value.count)
    guard descriptor >= 0 else { throw failure(errno) }
    return descriptor
  }

  static func failure(_ number: Int32) -> Spawn.Failure {
    Spawn.Failure(stage: .secret, number: number)
  }
}
