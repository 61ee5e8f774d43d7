/// What the parser said when it gave up: its own words and both of its places.
struct YAMLSyntaxProblem: Equatable {
  var problem: String
  var mark: YAMLMark
  var context: String
  var contextMark: YAMLMark
}
