#include "CTimerFD.h"

#ifdef __linux__

#include <errno.h>
#include <limits.h>
#include <stdint.h>
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

#else

#include <errno.h>

int ctimerfd_clock_watch_open(void) {
  errno = ENOSYS;
  return -1;
}

bool ctimerfd_clock_watch_take(int descriptor) {
  (void)descriptor;
  return false;
}

#endif
