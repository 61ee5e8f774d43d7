import TaktCore

/// The names of one file's jobs, to detect duplicates made by `for_each`.
struct TakenNames {
  struct Holder {
    var mark: YAMLMark
    /// The values of a job of `for_each`; nil for any other job.
    var words: String?
  }

  private var holders: [String: Holder] = [:]

  init(_ names: [(name: String, mark: YAMLMark)]) {
    for (name, mark) in names { holders[name] = Holder(mark: mark) }
  }

  /// Returns the holder if the name is taken.
  mutating func insert(_ key: YAMLKey, words: String?) -> Holder? {
    if let holder = holders[key.text] { return holder }
    holders[key.text] = Holder(mark: key.mark, words: words)
    return nil
  }
}

extension Reporter {
  /// Reports a name of `for_each` that another job has, with both places.
  func reportDuplicate(_ key: YAMLKey, words: String?, first: TakenNames.Holder) {
    let place = source.place(of: first.mark).location
    report(
      .duplicateJob, at: key.mark,
      "duplicate job '\(key.text.shortened)'\(words.map { ", made of \($0)" } ?? ""); first defined at "
        + "\(place)\(first.words.map { ", made of \($0)" } ?? "")",
      hint: first.mark == key.mark
        ? "let '\(JobKey.memberName)' tell them apart" : "rename one of them")
  }

  /// Reports a reference to a value of `for_each` without a `for_each`.
  func reportStray(_ stray: (mark: YAMLMark, words: String), owner: KeyOwner) {
    report(
      .badPlaceholder, at: stray.mark,
      owner.part == .defaults
        ? "'\(stray.words)' is not replaced in '\(Key.defaults)'"
        : "'\(stray.words)' needs '\(JobKey.forEach)'",
      hint: owner.part == .defaults
        ? "write it in the job" : "add \(JobKey.forEach): {NAME: [a, b]}, or remove it",
      owner: owner.part == .defaults ? nil : owner)
  }
}
