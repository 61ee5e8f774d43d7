struct RouteAbout: Sendable {
  /// The name for programs generated from the description.
  let operation: String
  let sentence: String
  private(set) var details: String?
  /// In the order in which refusals name them.
  private(set) var parameters: [ParameterAbout] = []
  private(set) var body: RouteBody?
  private(set) var answers: [RouteAnswer]

  init(_ operation: String, _ sentence: String, _ answers: RouteAnswer...) {
    self.operation = operation
    self.sentence = sentence
    self.answers = answers
  }

  func taking<each Value>(_ parameters: repeat Parameter<each Value>) -> Self {
    with { about in
      for parameter in repeat each parameters { about.parameters.append(parameter.about) }
    }
  }

  /// Adds a header that it reads.
  func reading(header name: String, _ sentence: String) -> Self {
    with { about in
      about.parameters.append(
        ParameterAbout(
          name: name, sentence: sentence, schema: Array(#"{"type":"string"}"#.utf8),
          place: .header))
    }
  }

  func taking(_ body: RouteBody) -> Self { with { $0.body = body } }

  /// Adds answers, each replacing one with the same status.
  func answering(_ answers: [RouteAnswer]) -> Self { with { $0.answers += answers } }

  /// Adds details to the sentence.
  func explained(_ details: String) -> Self { with { $0.details = details } }

  private func with(_ change: (inout Self) -> Void) -> Self {
    var about = self
    change(&about)
    return about
  }

  /// All answers, including those of every route, by status.
  func allAnswers(needing access: Access) -> [RouteAnswer] {
    let common: [RouteAnswer] =
      access == .none
      ? []
      : [
        .invalid, .problem(401, "The token is missing or wrong"),
        .problem(
          403,
          access > .read
            ? "Wrong Host or Origin, a client of another user, or one with fewer rights"
            : "Wrong Host or Origin, or a client of another user"),
        .problem(503, "takt is stopping, or not ready yet"),
      ]
    let own = Set(answers.map(\.status))
    return (answers + common.filter { !own.contains($0.status) }).sorted { $0.status < $1.status }
  }
}
