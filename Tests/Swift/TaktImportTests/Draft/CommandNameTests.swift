import Testing

@testable import TaktImport

@Suite struct CommandNameTests {
  @Test(arguments: [
    ("/usr/local/bin/backup.sh --all", "backup"), ("cd /srv && ./run.py", "run"),
    (
      "test -x /usr/bin/certbot -a \\! -d /run/systemd/system && perl -e 'sleep int(rand(43200))' && certbot -q renew",
      "certbot"
    ),
    ("[ -x /a ] && /a/b c", "b"), ("nice -n 19 ionice -c3 /opt/x", "x"),
    ("FOO=1 python3 -u /x/y.py", "y"),
    ("flock -n /tmp/l rsync -a a b", "rsync"), ("", "job"), ("/", "job"),
    ("\"/opt/two words/run it\" now", "run-it"), ("if x -q; then /opt/work; fi", "work"),
  ])
  func `a job is called after the program that does the work`(command: String, name: String) {
    #expect(JobNames.valid(CommandText(command, dialect: .debian).suggestedName) == name)
  }

  @Test(arguments: [
    ("timeout '10m' /opt/sync.sh", "sync"), ("timeout -k 5s 10m /opt/sync.sh", "sync"),
    ("date >> /var/log/beat.log; /opt/beat", "beat"), ("date >> /var/log/heart.log", "heart"),
    ("echo started", "started"), ("echo $((RANDOM % 5))", "echo"),
    ("$VV -9 prune", "prune"), ("((VV-9)) ; /opt/check", "check"),
    ("sleep $((RANDOM \\% 60)); /opt/late", "late"), ("sleep ${RANDOM:0:2}m; /opt/late", "late"),
    ("su - www -c '/srv/clean.sh -q'", "clean"), ("sudo -u www php /srv/x/purge.php", "purge"),
    ("bash -lc 'cd /srv && ./report.sh'", "report"), ("python3 -m app.digest", "app.digest"),
    ("php8.1 /var/www/nextcloud/cron.php", "nextcloud-cron"), ("/srv/mail/run.sh", "mail-run"),
    ("php artisan schedule:run", "schedule-run"),
    ("python manage.py clearsessions", "clearsessions"),
    ("cd / && run-parts --report /etc/cron.hourly", "cron.hourly"),
    ("systemctl restart nginx", "systemctl-nginx"),
    ("docker ps --format \"{{.Names}} {{json .}}\"", "docker-ps"),
    ("exec 9>/tmp/l; flock -n 9 || exit 1; /opt/one", "one"), ("true", "true"), ("date", "date"),
  ])
  func `a word that says nothing is no name`(command: String, name: String) {
    #expect(JobNames.valid(CommandText(command, dialect: .debian).suggestedName) == name)
  }
}
