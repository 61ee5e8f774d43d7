/// Hooks that mail what a run printed, as cron does: to `MAILTO`, or else to the owner of the job.
enum MailHooks {
  static let script =
    #"if [ -x /usr/sbin/sendmail ]; then printf 'From: %s\nTo: %s\nSubject: Cron <%s@%s> %s\n"#
    + #"MIME-Version: 1.0\nContent-Type: %s\nContent-Transfer-Encoding: %s\n\n%s\n' "#
    + #""${MAILFROM:-root (Cron Daemon)}" "${MAILTO-$LOGNAME}" "$LOGNAME" "$TAKT_HOST" "$TAKT_JOB" "#
    + #""${CONTENT_TYPE:-text/plain; charset=UTF-8}" "${CONTENT_TRANSFER_ENCODING:-8bit}" "#
    + #""$TAKT_OUTPUT" | /usr/sbin/sendmail -i -t; fi"#

  /// For `on_success` and `on_failure`.
  static let value = DraftValue.list([
    .mapping([
      "run": .list([.text("/bin/sh"), .text("-c"), .text(script)]), "when": .word("output"),
    ])
  ])
}
