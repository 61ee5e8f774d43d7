/// What a tag says of a node. Only the tags of YAML's core schema are known.
enum YAMLTag: Hashable {
  case string, null, boolean, integer, float, sequence, mapping
  /// `!`: take the node as it stands, a scalar as text.
  case nonSpecific
  /// Any other, with its whole text.
  case unknown(String)

  /// Reads a tag as libyaml hands it over, with its handle resolved.
  init(_ text: String) {
    switch text {
    case "!": self = .nonSpecific
    case "tag:yaml.org,2002:str": self = .string
    case "tag:yaml.org,2002:null": self = .null
    case "tag:yaml.org,2002:bool": self = .boolean
    case "tag:yaml.org,2002:int": self = .integer
    case "tag:yaml.org,2002:float": self = .float
    case "tag:yaml.org,2002:seq": self = .sequence
    case "tag:yaml.org,2002:map": self = .mapping
    default: self = .unknown(text)
    }
  }

  /// As a person writes it: `!!python/x`, `!secret`.
  static func written(_ text: String) -> String {
    let core = "tag:yaml.org,2002:"
    return text.hasPrefix(core) ? "!!" + text.dropFirst(core.count) : text
  }
}
