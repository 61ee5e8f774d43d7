package import TaktCore

/// Secrets that takt itself needs, by the rules of those of jobs.
package enum SecretText {
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
  }

  /// Reads the secret's value. May block for as long as its file system does.
  package static func read(_ secret: Secret) throws(Failure) -> String {
    do throws(StartFailure) {
      return String(decoding: try SecretReader.value(of: secret), as: UTF8.self)
    } catch {
      throw Failure(description: error.sentence)
    }
  }
}
