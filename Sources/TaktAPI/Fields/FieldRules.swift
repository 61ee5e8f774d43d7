/// The limits of a field beyond those of its type.
package struct FieldRules: Sendable {
  /// True if an object that lacks the field is not read.
  var isKey = false
  private var isNeeded: Bool?
  private var minimum: Int64?
  private var maximum: Int64?
  private var lengthMax: Int?
  private var choices: [String]?
  private var pattern: String?
  private var countMin: Int?
  private var countMax: Int?
  private var standard: Bool?
  /// Replaces the type's own name.
  private(set) var typeName: String?
  private(set) var format: String?
  private var namePattern: String?
  /// The rules of the elements of an array, or of the values of a dictionary.
  private(set) var items: Items?

  struct Items: Sendable {
    private let boxed: [FieldRules]
    let sentence: String

    init(_ rules: FieldRules, _ sentence: String) { (boxed, self.sentence) = ([rules], sentence) }

    var rules: FieldRules { boxed[0] }
  }

  package init() {}

  /// Makes an object without this field unreadable.
  package static var key: Self { Self().with { $0.isKey = true } }

  package static func min(_ number: Int64) -> Self { Self().with { $0.minimum = number } }

  package static func choices(_ texts: [String]) -> Self { Self().with { $0.choices = texts } }

  package static func pattern(_ text: String) -> Self { Self().with { $0.pattern = text } }

  package static func maxLength(_ count: Int) -> Self { Self().with { $0.lengthMax = count } }

  package static func minItems(_ count: Int) -> Self { Self().with { $0.countMin = count } }

  package static func maxItems(_ count: Int) -> Self { Self().with { $0.countMax = count } }

  /// The value of an absent flag.
  package static func standard(_ flag: Bool) -> Self { Self().with { $0.standard = flag } }

  /// A number with places, as others may send it.
  package static var number: Self { Self().with { $0.typeName = "number" } }

  package static func format(_ name: String) -> Self { Self().with { $0.format = name } }

  package static func names(_ pattern: String) -> Self { Self().with { $0.namePattern = pattern } }

  /// Rules of the elements of an array, or of the values of a dictionary.
  package static func items(_ sentence: String = "", _ rules: Self = Self()) -> Self {
    Self().items(sentence, rules)
  }

  package var key: Self { with { $0.isKey = true } }

  /// Always written, although a program can do without it.
  package var needed: Self { with { $0.isNeeded = true } }

  package func max(_ number: Int64) -> Self { with { $0.maximum = number } }

  package func maxLength(_ count: Int) -> Self { with { $0.lengthMax = count } }

  package func items(_ sentence: String = "", _ rules: Self = Self()) -> Self {
    with { $0.items = Items(rules, sentence) }
  }

  private func with(_ change: (inout Self) -> Void) -> Self {
    var rules = self
    change(&rules)
    return rules
  }

  func isRequired(_ type: any APIValue.Type) -> Bool { isNeeded ?? !type.isOptional }

  func write(to json: inout JSONWriter) {
    json.member("minimum", minimum)
    json.member("maximum", maximum)
    json.member("maxLength", lengthMax)
    json.member("pattern", pattern)
    json.member("minItems", countMin)
    json.member("maxItems", countMax)
    if let choices {
      json.key("enum")
      json.array(choices) { $0.value($1) }
    }
    if let standard {
      json.key("default")
      json.value(standard)
    }
    if let namePattern {
      json.key("propertyNames")
      json.object { $0.member("pattern", namePattern) }
    }
  }
}
