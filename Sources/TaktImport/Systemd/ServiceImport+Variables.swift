import TaktCore

/// Variables that systemd sets.
extension ServiceImport {
  private static let folders: [(key: String, variable: String, specifier: Character)] = [
    ("RuntimeDirectory", "RUNTIME_DIRECTORY", "t"), ("StateDirectory", "STATE_DIRECTORY", "S"),
    ("CacheDirectory", "CACHE_DIRECTORY", "C"), ("LogsDirectory", "LOGS_DIRECTORY", "L"),
    ("ConfigurationDirectory", "CONFIGURATION_DIRECTORY", "E"),
  ]

  /// The variables that name the folders which systemd makes.
  func folderVariables(in draft: inout JobDraft) -> [DraftEntry] {
    var variables: [DraftEntry] = []
    for (key, variable, specifier) in Self.folders {
      var paths: [String] = []
      for entry in unit.list("Service", key) {
        guard let parent = manager.value(of: specifier), let words = UnitValue.words(entry.value),
          !entry.value.utf8.contains(UInt8(ascii: "\\"))
        else {
          disable(entry, "only systemd knows the value of $\(variable)", in: &draft)
          continue
        }
        for word in words {
          // The names of links to it follow.
          let name = word.prefix { $0 != ":" }
          let parts = expand(String(name), of: entry, in: &draft).split(
            separator: "/", omittingEmptySubsequences: false)
          // systemd ignores such a folder.
          if parts.first?.isEmpty == true || parts.contains("..") { continue }
          paths.append(
            ([parent] + parts.filter { !$0.isEmpty && $0 != "." }.map(String.init))
              .joined(separator: "/"))
        }
      }
      if !paths.isEmpty {
        variables.append(DraftEntry(key: variable, value: .text(paths.joined(separator: ":"))))
      }
    }
    return variables
  }
}
