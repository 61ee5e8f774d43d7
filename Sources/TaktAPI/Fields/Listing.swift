/// A list whose elements are made while they are written: there may be a hundred thousand.
package struct Listing<Element: APIValue>: APIValue {
  package private(set) var elements: [Element] = []
  private var writeAll: (@Sendable (inout JSONWriter) -> Void)?

  private init() {}

  package init<Source: Sendable>(
    _ sources: [Source], _ make: @escaping @Sendable (Source) -> Element
  ) {
    writeAll = { json in
      json.open("[")
      // Lent, not copied out of the list: the gate's `status`.
      let span = sources.span
      for index in span.indices {
        var element = make(span[index])
        element.write(to: &json)
      }
      json.close("]")
    }
  }

  package static var empty: Listing<Element> { Self() }

  package mutating func write(to json: inout JSONWriter) {
    if let writeAll { writeAll(&json) } else { elements.write(to: &json) }
  }

  package static func read(from decoder: any Decoder) throws -> Listing<Element> {
    var list = Self()
    list.elements = try [Element].read(from: decoder)
    return list
  }

  package static func schema(
    _ rules: FieldRules, _ sentence: String, in components: inout SchemaComponents
  ) -> [UInt8] {
    [Element].schema(rules, sentence, in: &components)
  }
}
