#ifndef CTIMERFD_H
#define CTIMERFD_H

#include <stdbool.h>

#include "CPrefetch.h"
#include "CSanitizer.h"

/// A timerfd on CLOCK_REALTIME that becomes readable when that clock is set.
/// Returns the descriptor, or -1 with errno.
int ctimerfd_clock_watch_open(void);

/// Takes the news off the descriptor and watches on.
/// Returns true when the clock was set since the last call.
bool ctimerfd_clock_watch_take(int descriptor);

#endif
