import TaktCore
import TaktSystem

extension JobSpec {
  /// That its command starts without a shell, or some of its steps; nil where none does.
  var directWords: String? {
    let paths = StandardShell.installed == nil ? [] : directPaths
    if paths.isEmpty { return nil }
    return paths == ["run"]
      ? "runs without a shell" : "runs without a shell: \(paths.joined(separator: ", "))"
  }
}
