/// Whose keys are being read, for messages: "'kill' of job 'backup'".
struct KeyOwner: CustomStringConvertible {
  /// The part of the file.
  enum Part: Equatable {
    case file, scheduler, defaults
    case job(String)
  }

  var part: Part
  /// The key under which they stand, when it is not the part itself.
  var key: String?

  init(part: Part, key: String? = nil) {
    self.part = part
    self.key = key
  }

  /// The key `key` of an owner.
  init(_ owner: KeyOwner, _ key: String) {
    self.init(part: owner.part, key: key)
  }

  var description: String {
    let name =
      switch part {
      case .file: "the file"
      case .scheduler: "'\(Key.scheduler)'"
      case .defaults: "'\(Key.defaults)'"
      case .job(let name): "job '\(name.shortened)'"
      }
    return key.map { "'\($0)' of " + name } ?? name
  }
}
