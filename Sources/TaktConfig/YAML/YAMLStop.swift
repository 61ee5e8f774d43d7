/// Why the rest of a file cannot be read.
enum YAMLStop: Error, Equatable {
  /// The parser gave up.
  case syntax(YAMLSyntaxProblem)
  /// Collections inside collections, deeper than the bound.
  case tooDeep(YAMLMark)
  /// More nodes than the bound, those of aliases counted each time.
  case tooManyNodes(YAMLMark)
  /// There is nothing in the file.
  case empty
  /// A second document begins.
  case manyDocuments(YAMLMark)
  /// The text was cut before bytes that are no text; that has been reported.
  case cut
}
