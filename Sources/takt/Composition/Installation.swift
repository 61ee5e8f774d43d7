import Glibc
import TaktSystem

/// The files that are installed with takt: those of PREFIX/bin/takt are in PREFIX/lib/takt and
/// PREFIX/share/takt.
enum Installation {
  /// PREFIX/lib/takt/plugins; nil if it does not exist.
  static let plugins: String? = place("lib/takt/plugins")

  /// The JSON Schema of jobs files; nil if it is not installed.
  static let schema: String? = place("share/takt/jobs.schema.json")

  private static func place(_ path: String) -> String? {
    guard let prefix else { return nil }
    let whole = (prefix == "/" ? "" : prefix) + "/" + path
    return access(whole, F_OK) == 0 ? whole : nil
  }

  private static let prefix: String? = {
    // The kernel adds " (deleted)" to the name of a program that has been replaced; its folder
    // stays.
    guard let program = SmallFile.link("/proc/self/exe") else { return nil }
    let parts = program.split(separator: "/").dropLast(2)
    return "/" + parts.joined(separator: "/")
  }()
}
