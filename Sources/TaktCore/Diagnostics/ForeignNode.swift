/// A value of a YAML file of another program, with its place.
package struct ForeignNode: Sendable {
  package indirect enum Content: Sendable {
    case scalar(String)
    case null
    case list([ForeignNode])
    case map([ForeignEntry])
  }

  package var place: SourceLocation
  package var content: Content

  package init(_ content: Content, at place: SourceLocation) {
    self.content = content
    self.place = place
  }
}

package struct ForeignEntry: Sendable {
  package var key: String
  package var place: SourceLocation
  package var value: ForeignNode

  package init(key: String, at place: SourceLocation, value: ForeignNode) {
    self.key = key
    self.place = place
    self.value = value
  }
}

/// The content of a YAML file, or the reason why it cannot be read.
package struct ForeignFile: Sendable {
  package var documents: [ForeignNode]
  package var problems: [(place: SourceLocation, sentence: String)]

  package init(
    documents: [ForeignNode] = [], problems: [(place: SourceLocation, sentence: String)] = []
  ) {
    self.documents = documents
    self.problems = problems
  }
}
