import TaktCore

/// The place of a value, with its owner.
struct ValuePlace {
  var mark: YAMLMark
  var owner: KeyOwner
}

extension RawJob {
  /// The place of the job's name, for a value that is not in the file.
  var place: ValuePlace { ValuePlace(mark: nameMark, owner: owner) }
}

extension SpecBuilder {
  /// The place of a key's value, in the job or else in `defaults`; nil if in neither.
  ///
  /// - Parameter part: finds the place of a part of the value, if only that is of interest.
  func place(
    of key: JobKey, in raw: RawJob, part: (KeyFields.Field) -> YAMLMark? = { $0.mark }
  ) -> ValuePlace? {
    if let mark = raw.fields[key].flatMap(part) {
      return ValuePlace(mark: mark, owner: raw.owner)
    }
    return defaultsFields?[key].flatMap(part).map {
      ValuePlace(mark: $0, owner: KeyOwner(part: .defaults))
    }
  }
}
