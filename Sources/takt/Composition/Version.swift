import CTaktBuild
import TaktConfig
import TaktStore

/// The version; packages, the image and the release check read it from here.
enum TaktVersion {
  static let current = "0.2.0"

  struct Report: Encodable {
    var version = TaktVersion.current
    /// The commit from which the program was built; empty in a debug build, and then left out.
    var commit = String(cString: takt_build_commit())
    /// The libraries in use, with their versions; without those that are not installed.
    var libraries = TaktVersion.libraries

    enum CodingKeys: CodingKey {
      case version, commit, libraries
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(version, forKey: .version)
      try container.encodeIfPresent(commit.isEmpty ? nil : commit, forKey: .commit)
      try container.encode(libraries, forKey: .libraries)
    }
  }

  private static var libraries: [String: String] {
    var versions = [
      "glibc": String(cString: takt_libc_version()), "libyaml": YAMLLibrary.version,
      "sqlite": LedgerLibrary.version,
    ]
    // Loaded as they would be when needed, so that the versions are those of this machine.
    if let text = takt_curl_version() { versions["libcurl"] = String(cString: text) }
    let number = takt_postgres_version()
    if number > 0 { versions["libpq"] = "\(number / 10_000).\(number % 10_000)" }
    return versions
  }
}
