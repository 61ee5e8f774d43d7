import TaktCore

extension KeyTable {
  /// Keys that make many jobs from one definition.
  static let families: [KeyEntry] = [
    KeyEntry(
      .forEach, .map(.text, .anything), reload: nil,
      "Makes a job of each combination of values: `{tenant: [acme, globex], region: [eu, us]}`. A "
        + "reload adds, removes and changes only the jobs whose texts differ."),
    KeyEntry(
      .memberName, .text(allowsEmpty: false), default: "the key and the values, with dots between",
      reload: nil, "With `for_each`: the name of each job, such as `dump-{{each.tenant}}`."),
  ]
}
