// Shifts the wall clock of a process by as many seconds as a file says, while the process runs:
//
//   cc -shared -fPIC -O2 -o clock.so clock.c
//   LD_PRELOAD=clock.so TAKT_TEST_CLOCK=FILE PROGRAM
//
// FILE has eight bytes, a number in the machine's order of bytes, written in place. All other clocks, and
// timers, stay as they are: libfaketime also shifts timers of clocks that it is told to leave alone. The
// kernel does not tell the process of such a step, as it would tell it of a clock that is set.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t none = 0;
static const volatile int64_t *shift = &none;
static int (*read_clock)(clockid_t, struct timespec *);
static int (*wait_until)(sem_t *, const struct timespec *);

__attribute__((constructor)) static void begin(void) {
  read_clock = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  wait_until = (int (*)(sem_t *, const struct timespec *))dlsym(RTLD_NEXT, "sem_timedwait");
  const char *path = getenv("TAKT_TEST_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) shift = mapped;
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec *at) {
  // Other constructors may come before this one.
  if (!read_clock) begin();
  int result = read_clock(clock, at);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) at->tv_sec += *shift;
  return result;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  (void)zone;
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}

// A semaphore waits on the kernel's wall clock, until an instant that was counted from the shifted one.
int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until) {
  if (!wait_until) begin();
  struct timespec real = *until;
  real.tv_sec -= *shift;
  return wait_until(semaphore, &real);
}
