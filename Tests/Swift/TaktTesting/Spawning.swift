import CDispatch
import Glibc

/// Starts programs by the system's own call: the test must wait for each child.
package enum Spawning {
  package struct Refused: Error, CustomStringConvertible {
    package var description: String
  }

  /// - Parameters:
  ///   - words: the program, which is searched in PATH, and its arguments.
  ///   - environment: each as `NAME=value`; nil for this process's own.
  ///   - input: its standard input; nil for none.
  ///   - output: its standard output; nil for this process's own.
  ///   - errors: the file of its standard error; nil for this process's own.
  ///   - closing: descriptors that it does not inherit in any case.
  package static func start(
    _ words: [String], environment: [String]? = nil, input: Int32? = nil, output: Int32? = nil,
    errors: String? = nil, closing: Range<Int32> = 3..<3, startsSession: Bool = false
  ) throws -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input, 0)
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    if let output { posix_spawn_file_actions_adddup2(&actions, output, 1) }
    if let errors {
      posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT, 0o644)
    }
    for other in closing { posix_spawn_file_actions_addclose(&actions, other) }
    // The threads of a queue block nearly all signals, and a child would inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    // POSIX_SPAWN_SETSID, which the module does not offer everywhere.
    let session: Int16 = startsSession ? 0x80 : 0
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | session)
    var argv = words.map { strdup($0) } + [nil]
    var envp = (environment ?? []).map { strdup($0) } + [nil]
    defer { (argv + envp).forEach { free($0) } }
    var child = pid_t()
    let result =
      environment == nil
      ? posix_spawnp(&child, words[0], &actions, &attributes, &argv, environ)
      : posix_spawnp(&child, words[0], &actions, &attributes, &argv, &envp)
    guard result == 0 else { throw Refused(description: "\(words) does not start: \(result)") }
    return child
  }
}
