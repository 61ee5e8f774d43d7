// Starts commands at each expiry of a timerfd: the lower bound for any scheduler.
//
// bare_loop FIRST_SECOND PERIOD_SECONDS CONCURRENCY COMMAND ...
//
// A command with a `|` is for a shell. Another one is split at its spaces, and needs none.
// A period of 0 means one expiry. It runs until it is stopped.
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { WORDS_MAX = 16 };

static int start(const char *command, const posix_spawn_file_actions_t *actions) {
  char text[4096];
  char *words[WORDS_MAX + 1] = {"sh", "-c", (char *)command, NULL};
  const char *program = "/bin/sh";
  if (!strchr(command, '|')) {
    int count = 0;
    strncpy(text, command, sizeof text - 1);
    text[sizeof text - 1] = 0;
    for (char *word = strtok(text, " "); word && count < WORDS_MAX; word = strtok(NULL, " "))
      words[count++] = word;
    words[count] = NULL;
    program = words[0];
  }
  pid_t pid;
  return posix_spawn(&pid, program, actions, NULL, words, environ);
}

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
        if (start(commands[started], &actions) != 0) return 1;
        started++;
        running++;
      } else if (wait(NULL) > 0) {
        running--;
      }
    }
  }
  return 1;
}
