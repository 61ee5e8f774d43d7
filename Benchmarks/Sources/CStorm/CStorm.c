#include "CStorm.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

long long cstorm_run(const char *program, int count, int concurrency) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  char *const argv[] = {(char *)program, 0};
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  int running = 0, failed = 0;
  for (int started = 0; started < count || running > 0;) {
    if (started < count && running < concurrency) {
      pid_t pid;
      if (posix_spawn(&pid, program, &actions, 0, argv, environ) != 0) {
        failed = 1;
        break;
      }
      started++;
      running++;
    } else {
      int status;
      if (wait(&status) < 0 || status != 0) {
        failed = 1;
        break;
      }
      running--;
    }
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return -1;
  return (end.tv_sec - start.tv_sec) * 1000000000LL + (end.tv_nsec - start.tv_nsec);
}
