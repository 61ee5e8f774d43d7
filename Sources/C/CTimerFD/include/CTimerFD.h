#ifndef CTIMERFD_H
#define CTIMERFD_H

#include <stdbool.h>
#include <stdint.h>

#include "CPrefetch.h"
#include "CSanitizer.h"

/// A timerfd on CLOCK_REALTIME that becomes readable when that clock is set.
/// Returns the descriptor, or -1 with errno.
int ctimerfd_clock_watch_open(void);

/// Takes the news off the descriptor and watches on.
/// Returns true when the clock was set since the last call.
bool ctimerfd_clock_watch_take(int descriptor);

/// A timerfd on CLOCK_MONOTONIC, set for nothing. Returns the descriptor, or -1 with errno.
int ctimerfd_alarm_open(void);

/// Sets the alarm for an instant in nanoseconds of CLOCK_MONOTONIC, in place of an earlier setting;
/// INT64_MAX means never. Does not wake a thread that waits for it.
void ctimerfd_alarm_set(int descriptor, int64_t nanoseconds);

/// Waits until the instant comes.
void ctimerfd_alarm_wait(int descriptor);

/// Closes a timerfd of either kind.
void ctimerfd_close(int descriptor);

/// Starts a detached thread with all signals blocked. Returns false when the system refuses.
bool ctimerfd_alarm_start(void *(*body)(void *), void *argument);

/// Names the calling thread (15 characters at most), and adds to its nice value.
void ctimerfd_alarm_begin(const char *name, int nice);

#endif
