import Glibc
import TaktCore
import Testing

@Suite struct TerminalOutputTests {
  private func lines(
    _ script: String, _ change: (inout Execution) -> Void = { _ in }
  ) throws -> [String] {
    try Children.lines(.argv(["/bin/sh", "-c", script])) {
      $0.inheritance = .none
      $0.terminal = TerminalSize(rows: 50, columns: 200)
      change(&$0)
    }
  }

  @Test func `a command sees a terminal of its size at both outputs, and none at its input`() throws
  {
    let script = """
      [ -t 1 ] && [ -t 2 ] && echo terminal
      [ -t 0 ] || echo "$(cat)no input"
      stty size <&1
      echo "$TERM"
      echo error >&2
      (: </dev/tty) 2>/dev/null || echo uncontrolled
      """
    #expect(
      try lines(script) == [
        "terminal", "no input", "50 200", "xterm-256color", "error", "uncontrolled",
      ])
    #expect(
      try lines("cat; echo $TERM") { ($0.stdin, $0.environment["TERM"]) = ("a\n", "dumb") } == [
        "a", "dumb",
      ])
    let pipes = try lines("[ -t 1 ] || echo pipes${TERM}") { $0.terminal = nil }
    #expect(pipes == ["pipes"])
  }

  @Test func `line ends come as they were printed, and nothing is lost at the end`() throws {
    #expect(try lines("printf 'a\\nb\\n'") == ["a", "b"])
    #expect(try lines("seq 50000").count == 50_000)
  }

  @Test func `what is left in the background prints on when the command has ended`() throws {
    #expect(try lines("(sleep 0.1; echo late) & echo first") == ["first", "late"])
  }
}
