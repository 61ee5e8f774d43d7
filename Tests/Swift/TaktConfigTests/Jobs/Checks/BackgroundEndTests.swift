import Testing

@testable import TaktConfig

@Suite struct BackgroundEndTests {
  @Test(arguments: [
    "a &", "a > x 2>&1 & # later\n", "(a &)", "for x in b c; do a& done", "cd /x && a & exit 0",
    "a & exit", "a & exit 0", "a &\nexit $?\n", "a & disown",
    "a & disown -h %1; exit 0", "a & true", "a &\n:\n",
    "a & true || exit 1", "if x; then a & exit 0; fi", "a &> x & disown && exit 0",
    "bash -c 'a &'", "sh -c \"a & exit 0\"", "nice -n 5 bash -c 'a &' >/dev/null 2>&1",
    "A=b /bin/sh -ec 'a &'; exit 0", "sudo -u x bash -c 'bash -c \"a &\"'", "exec bash -lc 'a &' x",
    "cat x | sh -c 'a &'", "trap 'rm x' EXIT; a & exit 0",
  ])
  func `nothing waits for the last command`(text: String) {
    #expect(BackgroundEnd.isIn(text))
  }

  @Test(arguments: [
    "a & wait", "a & wait; exit 0", "a & wait $!; exit $?", "a & wait -n; true", "a & exit $(wait)",
    "a & while wait; do :; done", "trap wait EXIT; a & exit 0", "trap 'wait' EXIT; a &",
    "a && exit 0", "a && b || true", "a >&2; exit 0", "a 2>&1; true", "a &> x; exit 0",
    "a |& b; true", "echo 'a &'; exit 0", "echo \"a &\"", "echo a \\&", "echo '&'; :", "echo # &",
    "echo \"a & exit 0",
    "x=$(a &)", "cat <(a &)", "echo $((3 & 1)); exit 0", "cat <<X\na &\nexit 0\nX",
    "bash -c 'a & wait'", "sh -c \"echo '&'\"", "bash -c 'a &'; wait", "bash -c 'a &' | tee x",
    "echo sh -c 'a &'", "grep sh -c 'a &'", "bash script.sh -c 'a &'", "python3 -c 'a &'",
    "a & [ -f x ] && exit 0", "a & sleep 3", "exit 0", "true", "&&", "",
  ])
  func `something waits, or there is nothing to wait for`(text: String) {
    #expect(!BackgroundEnd.isIn(text))
  }
}
