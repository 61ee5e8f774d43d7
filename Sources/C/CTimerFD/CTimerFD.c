#include "CTimerFD.h"

#ifdef __linux__

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int watch(int descriptor) {
  // Never due; TIME_T_MAX itself is refused by some kernels, the year 2286 is not.
  struct itimerspec far_future = {.it_value = {.tv_sec = 9999999999}};
  return timerfd_settime(
      descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &far_future, NULL);
}

int ctimerfd_clock_watch_open(void) {
  int descriptor = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  if (descriptor < 0) return -1;
  if (watch(descriptor) == 0) return descriptor;
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

bool ctimerfd_clock_watch_take(int descriptor) {
  uint64_t expirations;
  bool was_set = read(descriptor, &expirations, sizeof expirations) < 0 && errno == ECANCELED;
  // A step between the read and this call is told by ECANCELED as well: the kernel arms anyway.
  if (watch(descriptor) < 0 && errno == ECANCELED) was_set = true;
  return was_set;
}

int ctimerfd_alarm_open(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC); }

void ctimerfd_alarm_set(int descriptor, int64_t nanoseconds) {
  struct itimerspec setting = {0};
  // All zero would disarm it.
  if (nanoseconds < 1) nanoseconds = 1;
  if (nanoseconds < INT64_MAX) {
    setting.it_value.tv_sec = nanoseconds / 1000000000;
    setting.it_value.tv_nsec = nanoseconds % 1000000000;
  }
  timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &setting, NULL);
}

void ctimerfd_alarm_wait(int descriptor) {
  uint64_t expirations;
  while (read(descriptor, &expirations, sizeof expirations) < 0 && errno == EINTR) {
  }
}

void ctimerfd_close(int descriptor) { close(descriptor); }

bool ctimerfd_alarm_start(void *(*body)(void *), void *argument) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigset_t all, before;
  sigfillset(&all);
  // A thread inherits the mask of its creator.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, body, argument);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return error == 0;
}

void ctimerfd_alarm_begin(const char *name, int nice_value) {
  prctl(PR_SET_NAME, name, 0, 0, 0);
  // On Linux each thread has its own nice value; 0 means the calling one.
  if (nice_value > 0) setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + nice_value);
}

#endif
