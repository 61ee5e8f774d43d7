import CTaktBuild
import TaktConfig
import TaktStore

/// The version; packages, the image and the release check read it from here.
enum TaktVersion {
  static let current = "0.2.0"

  /// What `takt --version --json` prints.
  struct Report: Encodable {
    var version = TaktVersion.current
    /// The commit that the program was built from; without one in a build for debugging.
    var commit = String(cString: takt_build_commit())
    /// The libraries that it uses, with their versions; without those that are not installed.
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
    // Loaded as they are when they are needed, so that the answer is that of this machine.
    if let text = takt_curl_version() { versions["libcurl"] = String(cString: text) }
    let number = takt_postgres_version()
    if number > 0 { versions["libpq"] = "\(number / 10_000).\(number % 10_000)" }
    return versions
  }
}
