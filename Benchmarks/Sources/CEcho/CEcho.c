#define _GNU_SOURCE
#include "CEcho.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// Reads one line; 0 at its end, -1 when there is none.
static int read_line(int fd) {
  char bytes[4096];
  for (;;) {
    ssize_t count = read(fd, bytes, sizeof bytes);
    if (count <= 0) return -1;
    if (bytes[count - 1] == '\n') return 0;
  }
}

int cecho_measure(const char *program, int count, long long *nanoseconds) {
  int input[2], control[2];
  if (pipe2(input, O_CLOEXEC) != 0 || pipe2(control, O_CLOEXEC) != 0) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input[0], 0);
  // Not over a descriptor that is still needed.
  int end = fcntl(control[1], F_DUPFD_CLOEXEC, 10);
  posix_spawn_file_actions_adddup2(&actions, end, 3);
  char *const argv[] = {(char *)program, 0};
  pid_t pid;
  if (posix_spawn(&pid, program, &actions, 0, argv, environ) != 0) return -1;
  close(input[0]);
  close(control[1]);
  close(end);
  const char *hello =
      "{\"type\":\"hello\",\"protocol\":1,\"host\":\"bench\",\"plugin\":\"echo\"}\n";
  int failed = write(input[1], hello, strlen(hello)) < 0 || read_line(control[0]) != 0;
  for (int index = 0; index < count && !failed; index++) {
    char start[512];
    int size = snprintf(start, sizeof start,
                        "{\"attempt\":1,\"deadline\":null,\"job\":\"job%d\",\"parameters\":{},"
                        "\"run\":\"%d.1.1\",\"secrets\":{},\"slot\":\"2026-01-01T00:00:00.000Z\","
                        "\"type\":\"start\"}\n",
                        index, index);
    long long begin = now();
    failed = write(input[1], start, (size_t)size) != size || read_line(control[0]) != 0;
    nanoseconds[index] = now() - begin;
    usleep(1000);
  }
  close(input[1]);
  close(control[0]);
  waitpid(pid, NULL, 0);
  return failed ? -1 : 0;
}
