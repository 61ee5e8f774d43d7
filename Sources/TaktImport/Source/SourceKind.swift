/// What a source is. The names are those of `--from`.
package enum SourceKind: String, CaseIterable, Sendable {
  /// A crontab of one user: no user column.
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
  /// Sections of an INI file, or the labels of a Compose file.
  case ofelia
  case dkron
  /// A workflow of GitHub Actions with `on.schedule`.
  case github
  case launchd

  /// Whether it is a tree of values, of which the reader accounts for each, and not a list of lines.
  package var isTree: Bool {
    switch self {
    case .kubernetes, .yacron, .ofelia, .dkron, .github, .launchd: true
    case .crontab, .cronD, .anacrontab, .runParts, .systemd, .supercronic: false
    }
  }
}

/// Which program reads the crontabs.
package enum CronDialect: String, CaseIterable, Sendable {
  /// Debian's and Ubuntu's cron, which is Vixie's.
  case debian
  /// cronie, of Fedora, Red Hat, Arch and others.
  case cronie

  /// The most bytes that it reads of a command or of a variable.
  var lineBytesMax: Int {
    switch self {
    case .debian: 998
    case .cronie: 131_070
    }
  }
}
