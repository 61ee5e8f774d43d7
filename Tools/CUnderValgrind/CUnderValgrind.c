#include "CUnderValgrind.h"

// Without valgrind's header, nothing is counted, and the gate says so.
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>

void cvalgrind_start_counting(void) { CALLGRIND_START_INSTRUMENTATION; }
void cvalgrind_stop_counting(void) { CALLGRIND_STOP_INSTRUMENTATION; }
#else
void cvalgrind_start_counting(void) {}
void cvalgrind_stop_counting(void) {}
#endif

#if defined(__linux__)
#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

// Takes the place of the C library's `clone`, which csystem_spawn calls where clone3 is not
// available. Of all kinds of children valgrind knows only those of fork, so this child has a copy of
// the memory, and the parent may take the child's program for executed at once.
int clone(int (*body)(void *), void *stack, int flags, void *argument, ...) {
  va_list rest;
  va_start(rest, argument);
  int *pidfd = va_arg(rest, int *);
  va_arg(rest, void *);
  int *is_pending = va_arg(rest, int *);
  va_end(rest);
  (void)stack;
  (void)flags;
  long child = syscall(SYS_clone, (long)(CLONE_PIDFD | SIGCHLD), 0L, pidfd, 0L, 0L);
  if (child == 0) _exit(body(argument));
  if (child > 0) *is_pending = 0;
  return (int)child;
}
#endif
