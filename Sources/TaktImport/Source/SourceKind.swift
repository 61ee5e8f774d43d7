/// The kind of a source. The names are those of `--from`.
package enum SourceKind: String, CaseIterable, Sendable {
  /// A user's crontab, without a user column.
  case crontab
  /// A crontab of the system, such as `/etc/crontab` and the files in `/etc/cron.d`: the sixth
  /// column names the user.
  case cronD = "cron.d"
  case anacrontab
  /// A folder of scripts, such as `/etc/cron.daily`.
  case runParts = "run-parts"
  case systemd
  case supercronic
  case kubernetes = "k8s"
  case yacron
  /// Sections of an INI file, or labels of a Compose file.
  case ofelia
  case dkron
  /// A workflow of GitHub Actions with `on.schedule`.
  case github
  case launchd

  /// True for a tree of values, each reported by the reader; false for a list of lines.
  package var isTree: Bool {
    switch self {
    case .kubernetes, .yacron, .ofelia, .dkron, .github, .launchd: true
    case .crontab, .cronD, .anacrontab, .runParts, .systemd, .supercronic: false
    }
  }
}

package enum CronDialect: String, CaseIterable, Sendable {
  /// Debian's and Ubuntu's cron, derived from Vixie's.
  case debian
  /// cronie, on Fedora, Red Hat, Arch and others.
  case cronie

  /// The most bytes that it reads of a command or a variable.
  var lineBytesMax: Int {
    switch self {
    case .debian: 998
    case .cronie: 131_070
    }
  }
}
