import Testing

/// A program of known cost.
enum CostProgram {
  /// `cost MILLISECONDS MIB [hold]` touches this much memory, uses the processor for this long, and
  /// prints its use: microseconds, and KiB at most. With `hold` it then waits for a signal.
  private static let source = """
    #include <stdio.h>
    #include <stdlib.h>
    #include <sys/resource.h>
    #include <unistd.h>
    static long used(struct rusage *use) {
      getrusage(RUSAGE_SELF, use);
      return (use->ru_utime.tv_sec + use->ru_stime.tv_sec) * 1000000L + use->ru_utime.tv_usec +
             use->ru_stime.tv_usec;
    }
    int main(int count, char **words) {
      size_t bytes = strtoul(words[2], NULL, 10) << 20;
      volatile char *memory = malloc(bytes + 1);
      for (size_t index = 0; index < bytes; index += 4096) memory[index] = 1;
      struct rusage use;
      while (used(&use) < atol(words[1]) * 1000) {}
      printf("%ld %ld\\n", used(&use), use.ru_maxrss);
      fflush(stdout);
      if (count > 3) pause();
      return 0;
    }
    """

  /// Makes `cost` in the folder.
  static func compile(in folder: TemporaryFolder) throws {
    try folder.write(source, to: "cost.c")
    let compiler = try TaktProcess(
      ["-O1", "-o", "cost", "cost.c"], program: "/usr/bin/gcc", in: folder)
    _ = try compiler.text()
    try #require(compiler.waitForExit() == 0, "\(compiler.errors)")
  }
}
