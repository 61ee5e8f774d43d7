import TaktCore

/// Where a value is written, and whose it is.
struct ValuePlace {
  var mark: YAMLMark
  var owner: KeyOwner
}

extension RawJob {
  /// The job's name, for what is written nowhere.
  var place: ValuePlace { ValuePlace(mark: nameMark, owner: owner) }
}

extension SpecBuilder {
  /// The place of a key's value, in the job or else in `defaults`; nil where it is in neither.
  ///
  /// - Parameter part: the place of a part of the value, where only that is of interest.
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
