import Glibc

/// A shell that runs a text, in a folder and without programs.
enum ShellProcess {
  static func run(_ command: String, by shell: String, in folder: String) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    for descriptor in [1, 2] as [Int32] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
    }
    // The limit of processor time ends an endless loop.
    let start = "ulimit -t 1; cd \"$1\" && exec \"$2\" -c \"$3\""
    var arguments = copies(of: ["/bin/sh", "-c", start, "sh", folder, shell, command])
    var environment = copies(of: ["PATH=/nonexistent", "COMMAND=eval", "x=xx"])
    defer { for pointer in arguments + environment { free(pointer) } }
    var pid: pid_t = 0
    guard posix_spawn(&pid, "/bin/sh", &actions, nil, &arguments, &environment) == 0 else { return }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
  }

  /// The texts as a list for C; to be freed.
  private static func copies(of texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
    texts.map { text in strdup(text) } + [nil]
  }
}
