// The command of all jobs of the nemesis: says that it begins, that it lives and that it ends, and
// offers its token to a register that takes no older one.
//
//     worker FOLDER MILLISECONDS [deaf]
//
// Each line goes to FOLDER/runs by one write with O_APPEND:
//
//     WHAT JOB SLOT TOKEN PID MACHINE BOOTTIME REALTIME
//
// WHAT is begin, tick (every 50 ms), end, term (SIGTERM), taken or refused (by the register). TOKEN
// is 0 without a claim. The register is a file for each job and slot, under flock.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

static const char *job, *slot, *machine;
static unsigned long long token;
static int runs;
static volatile sig_atomic_t is_told;

static unsigned long long now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (unsigned long long)time.tv_sec * 1000000000ULL + (unsigned long long)time.tv_nsec;
}

static void say(const char *what) {
  char line[512];
  int length = snprintf(line, sizeof line, "%s %s %s %llu %d %s %llu %llu\n", what, job, slot,
                        token, (int)getpid(), machine, now(CLOCK_BOOTTIME), now(CLOCK_REALTIME));
  if (write(runs, line, (size_t)length) != length) _exit(3);
}

static void offer(const char *folder) {
  if (token == 0) return;
  char path[1024], text[32] = "";
  snprintf(path, sizeof path, "%s/register/%s_%s", folder, job, slot);
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0 || flock(file, LOCK_EX) != 0) _exit(4);
  ssize_t count = read(file, text, sizeof text - 1);
  int is_newer = count <= 0 || strtoull(text, NULL, 10) <= token;
  if (is_newer) {
    int length = snprintf(text, sizeof text, "%020llu\n", token);
    if (pwrite(file, text, (size_t)length, 0) != length) _exit(5);
  }
  // Still under the lock: the order of the lines is the order of the register.
  say(is_newer ? "taken" : "refused");
  close(file);
}

static void hear(int signal) {
  (void)signal;
  is_told = 1;
}

int main(int count, char **words) {
  if (count < 3) return 2;
  job = getenv("TAKT_JOB");
  slot = getenv("TAKT_SLOT");
  machine = getenv("MACHINE");
  const char *fence = getenv("TAKT_FENCE");
  token = fence ? strtoull(fence, NULL, 10) : 0;
  char path[1024];
  snprintf(path, sizeof path, "%s/runs", words[1]);
  runs = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (!job || !slot || !machine || runs < 0) return 2;
  if (count > 3 && strcmp(words[3], "deaf") == 0) {
    signal(SIGTERM, SIG_IGN);
  } else {
    struct sigaction action = {.sa_handler = hear};
    sigaction(SIGTERM, &action, NULL);
  }
  say("begin");
  offer(words[1]);
  unsigned long long until = now(CLOCK_BOOTTIME) + strtoull(words[2], NULL, 10) * 1000000ULL;
  for (;;) {
    unsigned long long instant = now(CLOCK_BOOTTIME);
    if (is_told || instant >= until) break;
    unsigned long long left = until - instant;
    struct timespec pause = {0, left < 50000000 ? (long)left : 50000000};
    nanosleep(&pause, NULL);
    if (!is_told) say("tick");
  }
  if (!is_told) offer(words[1]);
  say(is_told ? "term" : "end");
  return is_told ? 143 : 0;
}
