import Foundation
import Glibc
import TaktCore
import TaktSystem
import TaktTesting
import Testing

@testable import TaktEngine

/// A folder with shells, with programs that print their arguments and environment, and with files
/// that are no programs.
final class ShellWorld: Sendable {
  /// The visible result of a command.
  struct Outcome: Equatable {
    var output: String
    var errors: String
    var status: Int32
  }

  static let shells: [(StandardShell, String)] = [(.dash, "/bin/dash"), (.bash, "/bin/bash")]

  private let folder = TemporaryFolder()
  var path: String { folder.path }

  /// Compiled by the C compiler, so that no process here has the file open for writing.
  init() throws {
    chmod(path, 0o755)
    for name in [
      "bin", "empty", "wrong", "script", "bin/folder", "work", "work/sub", "dash", "bash",
    ] {
      folder.makeFolder(name)
    }
    for (shell, program) in Self.shells { folder.makeLink("\(shell)/sh", to: program) }
    folder.makeLink("link", to: path + "/work")
    let source = folder.write(Self.program, to: "show.c")
    let compiler = try Process.run(
      URL(filePath: "/usr/bin/cc"), arguments: ["-o", self["bin/show"], source])
    compiler.waitUntilExit()
    try #require(compiler.terminationStatus == 0)
    folder.makeLink("work/show", to: self["bin/show"])
    folder.write(Array("exec show from a script \"$@\"\n".utf8), to: "bin/plain", mode: 0o755)
    folder.write(
      Array("#!\(self["bin/show"]) argument\n".utf8), to: "script/show", mode: 0o755)
    folder.write(Array("#!/nonexistent/show\n".utf8), to: "wrong/show", mode: 0o755)
    folder.write("no program\n", to: "bin/file")
    folder.write("no program\n", to: "work/file")
  }

  subscript(name: String) -> String { folder[name] }

  /// With `--signal N` it ends itself by a signal. Otherwise it prints its arguments, its
  /// environment in some order, its folder, the path that it was started by, and its signal
  /// dispositions.
  private static let program = """
    #define _GNU_SOURCE
    #include <fcntl.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/auxv.h>
    #include <unistd.h>
    extern char **environ;
    static int order(const void *one, const void *other) {
      return strcmp(*(char **)one, *(char **)other);
    }
    int main(int count, char **words) {
      int variables = 0;
      char folder[4096];
      sigset_t mask;
      if (count == 3 && !strcmp(words[1], "--signal")) {
        fprintf(stderr, "an error");
        kill(getpid(), atoi(words[2]));
      }
      while (environ[variables]) variables++;
      qsort(environ, variables, sizeof *environ, order);
      for (int index = 0; index < count; index++) printf("argument <%s>\\n", words[index]);
      for (int index = 0; index < variables; index++) printf("variable <%s>\\n", environ[index]);
      printf("folder <%s> path <%s> user %d %d session %d\\n", getcwd(folder, sizeof folder),
             (char *)getauxval(AT_EXECFN), getuid(), getgid(), getsid(0) == getpgid(0));
      sigprocmask(SIG_BLOCK, 0, &mask);
      for (int number = 1; number < 32; number++) {
        struct sigaction action;
        sigaction(number, 0, &action);
        if (action.sa_handler != SIG_DFL || sigismember(&mask, number)) printf("signal %d\\n", number);
      }
      for (int descriptor = 0; descriptor < 64; descriptor++)
        if (fcntl(descriptor, F_GETFD) >= 0) printf("descriptor %d\\n", descriptor);
      fflush(stdout);
      fprintf(stderr, "an error");
      return count + 7;
    }

    """

  /// Runs a text with a shell at its path, or as takt starts it in place of that shell.
  func run(
    _ text: String, by shell: StandardShell, directly: Bool,
    _ change: (inout Execution) -> Void = { _ in }
  ) throws -> (outcome: Outcome, isDirect: Bool) {
    var command = Command(of: try Children.request(.shell(text), change))
    command.arguments = [self["\(shell)/sh"], "-c", text]
    command.direct =
      directly ? PlainCommand.words(of: text).map { DirectStart(words: $0, of: shell) } : nil
    let child = try Spawn.start(
      try PreparedCommand(command, SystemAccounts()), mark: "one mark for all")
    while !child.launch.wait(milliseconds: 60_000) {}
    let output = Children.readToEnd(child.stdout)
    let errors = child.stderr.map(Children.readToEnd) ?? []
    var status = Int32(0)
    waitpid(child.pid, &status, 0)
    for descriptor in [child.pidfd, child.stdout, child.stderr ?? -1] { close(descriptor) }
    let outcome = Outcome(
      output: String(decoding: output, as: UTF8.self),
      errors: String(decoding: errors, as: UTF8.self), status: status)
    return (outcome, child.launch.isDirect)
  }
}
