#ifndef CBARETIMER_H
#define CBARETIMER_H

#include <stddef.h>
#include <stdint.h>

/// Runs a periodic timerfd under epoll and stores how late each of `count` wakes was, in
/// nanoseconds. Returns 0, or -1 when there is no timerfd.
int cbaretimer_lateness(int64_t interval_ns, int64_t *lateness_ns, size_t count);

/// Bytes that the allocator has handed out.
size_t cbaretimer_allocated(void);

#endif
