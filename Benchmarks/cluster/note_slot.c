// Appends a line to a file: the current time, as 19 digits of nanoseconds since the epoch, the job, the
// slot and the machine. Then sleeps, if a number of seconds is given.
//
// note_slot FILE [SECONDS]
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char *variable(const char *name) {
  const char *value = getenv(name);
  return value ? value : "-";
}

int main(int count, char **arguments) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (count < 2) return 64;
  int file = open(arguments[1], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  char line[128];
  int size = snprintf(
      line, sizeof line, "%019lld %.32s %.32s %.32s\n", now.tv_sec * 1000000000LL + now.tv_nsec,
      variable("TAKT_JOB"), variable("TAKT_SLOT"), variable("BENCH_MACHINE"));
  if (file < 0 || write(file, line, (size_t)size) != size) return 1;
  if (count > 2) sleep((unsigned)atoi(arguments[2]));
  return 0;
}
