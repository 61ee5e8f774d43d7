import TaktCore
import TaktSystem

extension JobSpec {
  /// States that its command starts without a shell, or which of its commands do; nil if none does.
  var directWords: String? {
    let paths =
      StandardShell.installed.map { shell in directPaths { shell.foresees($0, $1) } } ?? []
    if paths.isEmpty { return nil }
    return paths == ["run"]
      ? "runs without a shell" : "runs without a shell: \(paths.joined(separator: ", "))"
  }
}
