// Starts shell commands at each expiry of a timerfd: the lower bound for any scheduler.
//
// bare_loop FIRST_SECOND PERIOD_SECONDS CONCURRENCY COMMAND ...
//
// A period of 0 means one expiry. It runs until it is stopped.
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int main(int argument_count, char **arguments) {
  if (argument_count < 5) return 64;
  char **commands = arguments + 4;
  int count = argument_count - 4, concurrency = atoi(arguments[3]);
  struct itimerspec beat = {
      .it_value.tv_sec = atoll(arguments[1]), .it_interval.tv_sec = atoll(arguments[2])};
  int timer = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC);
  if (timer < 0 || timerfd_settime(timer, TFD_TIMER_ABSTIME, &beat, NULL) != 0) return 1;

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  uint64_t beats;
  while (read(timer, &beats, sizeof beats) == sizeof beats) {
    int running = 0;
    for (int started = 0; started < count || running > 0;) {
      if (started < count && running < concurrency) {
        pid_t pid;
        char *const command[] = {"sh", "-c", commands[started], NULL};
        if (posix_spawn(&pid, "/bin/sh", &actions, NULL, command, environ) != 0) return 1;
        started++;
        running++;
      } else if (wait(NULL) > 0) {
        running--;
      }
    }
  }
  return 1;
}
