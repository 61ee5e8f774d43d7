/// A job in the file's own words, each value of its key's type and with its place; nothing is
/// known yet of how they fit together.
struct RawJob {
  var name: String
  var nameMark: YAMLMark
  var fields: KeyFields

  var owner: KeyOwner { KeyOwner(part: .job(name)) }
}
