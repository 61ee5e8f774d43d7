#include "CBareTimer.h"

#ifdef __linux__

#include <malloc.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int cbaretimer_lateness(int64_t interval_ns, int64_t *lateness_ns, size_t count) {
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  int poll = epoll_create1(EPOLL_CLOEXEC);
  if (timer < 0 || poll < 0) return -1;
  struct epoll_event interest = {.events = EPOLLIN};
  epoll_ctl(poll, EPOLL_CTL_ADD, timer, &interest);
  int64_t due = now_ns() + interval_ns;
  for (size_t index = 0; index < count; index++) {
    struct itimerspec alarm = {
        .it_value = {.tv_sec = due / 1000000000, .tv_nsec = due % 1000000000}};
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &alarm, NULL);
    struct epoll_event event;
    epoll_wait(poll, &event, 1, -1);
    int64_t now = now_ns();
    uint64_t expirations;
    (void)!read(timer, &expirations, sizeof expirations);
    lateness_ns[index] = now - due;
    due += interval_ns * ((now - due) / interval_ns + 1);
  }
  close(poll);
  close(timer);
  return 0;
}

size_t cbaretimer_allocated(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

#else

int cbaretimer_lateness(int64_t interval_ns, int64_t *lateness_ns, size_t count) {
  (void)interval_ns, (void)lateness_ns, (void)count;
  return -1;
}

size_t cbaretimer_allocated(void) { return 0; }

#endif
