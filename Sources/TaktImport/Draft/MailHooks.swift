/// Hooks that mail the output of a run as cron does: to `MAILTO`, or else to the owner of the job.
enum MailHooks {
  static let script = #"""
    [ -x /usr/sbin/sendmail ] || exit 0
    printf '%s\n' "From: ${MAILFROM:-root (Cron Daemon)}" "To: ${MAILTO-$LOGNAME}" \
      "Subject: Cron <$LOGNAME@$TAKT_HOST> $TAKT_JOB" 'MIME-Version: 1.0' \
      "Content-Type: ${CONTENT_TYPE:-text/plain; charset=UTF-8}" \
      "Content-Transfer-Encoding: ${CONTENT_TRANSFER_ENCODING:-8bit}" '' "$TAKT_OUTPUT" |
      /usr/sbin/sendmail -i -t
    """#

  /// The script of older imports; their files are exported like current ones.
  static let formerScript =
    #"if [ -x /usr/sbin/sendmail ]; then printf 'From: %s\nTo: %s\nSubject: Cron <%s@%s> %s\n"#
    + #"MIME-Version: 1.0\nContent-Type: %s\nContent-Transfer-Encoding: %s\n\n%s\n' "#
    + #""${MAILFROM:-root (Cron Daemon)}" "${MAILTO-$LOGNAME}" "$LOGNAME" "$TAKT_HOST" "$TAKT_JOB" "#
    + #""${CONTENT_TYPE:-text/plain; charset=UTF-8}" "${CONTENT_TRANSFER_ENCODING:-8bit}" "#
    + #""$TAKT_OUTPUT" | /usr/sbin/sendmail -i -t; fi"#

  /// The value of `on_success` and `on_failure`. A run without output sends no mail.
  static let value = DraftValue.mapping([
    "when": .word("output"), "run": .list([.text("/bin/sh"), .text("-c"), .text(script)]),
  ])

  /// The alias for use in jobs; the hook itself is once at the head of the file.
  static func short(_ value: DraftValue) -> DraftValue {
    if value == self.value { return .word("*mail") }
    guard case .list(let hooks) = value else { return value }
    return .list(hooks.map { $0 == self.value ? .word("*mail") : $0 })
  }
}
