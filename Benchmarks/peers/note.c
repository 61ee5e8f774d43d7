// Appends a line to a file: the current time, as 19 digits of nanoseconds since the epoch, and a name.
//
// note FILE NAME
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(int count, char **arguments) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (count != 3) return 64;
  int file = open(arguments[1], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  char line[64];
  int size = snprintf(
      line, sizeof line, "%019lld %.32s\n", now.tv_sec * 1000000000LL + now.tv_nsec, arguments[2]);
  return file >= 0 && write(file, line, (size_t)size) == size ? 0 : 1;
}
