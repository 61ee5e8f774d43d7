import TaktCore

/// One item of `include`, with its place kept for when its file's text is gone.
struct IncludeRequest {
  /// The path or pattern as it is written.
  var path: String
  var location: SourceLocation
  var sourceLine: String?

  /// An error at the item's place.
  func diagnostic(_ code: Diagnostic.Code, _ message: String, hint: String? = nil) -> Diagnostic {
    Diagnostic(code, at: location, message, hint: hint, sourceLine: sourceLine)
  }
}
