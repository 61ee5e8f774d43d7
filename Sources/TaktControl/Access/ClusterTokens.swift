/// Tokens that all machines of a cluster share: each accepts them, and sends them to the others.
package struct ClusterTokens: Sendable {
  struct Shared: Sendable {
    let token: Token
    let text: String

    /// - Throws: the problem of the file. A missing one is not made here: the other machines would
    ///   not have it.
    fileprivate init(path: String, onWarning: (String) -> Void) throws(Token.FileError) {
      guard let found = try Token.readShared(path) else {
        throw Token.FileError(message: "\(path): No such file or directory")
      }
      try Token.checkLength(found.text, path)
      token = Token(text: found.text)
      text = String(decoding: found.text, as: UTF8.self)
      if found.isReadableByOthers {
        onWarning("\(path) can be read by other users; run `chmod o-r \(path)`")
      }
    }
  }

  /// May only read; nil without such a token.
  private(set) var reading: Shared?
  /// May do everything.
  private(set) var writing: Shared?

  package init() {}

  /// Reads the files that are given.
  ///
  /// - Parameters:
  ///   - onWarning: called with a sentence about each that others may read.
  ///   - onProblem: called with a sentence about each that cannot be used.
  package init(
    readingFile: String?, writingFile: String?, onWarning: (String) -> Void,
    onProblem: (String) -> Void
  ) {
    func read(_ path: String?, _ key: String) -> Shared? {
      guard let path else { return nil }
      do throws(Token.FileError) {
        return try Shared(path: path) { onWarning("the token of '\(key)': \($0)") }
      } catch {
        onProblem("the token of '\(key)' cannot be used: \(error.message)")
        return nil
      }
    }
    reading = read(readingFile, "api_token_file")
    writing = read(writingFile, "api_write_token_file")
  }
}
