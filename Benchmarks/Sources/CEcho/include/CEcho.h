// A bare conversation with an echo plugin, to compare takt's with.
#ifndef CECHO_H
#define CECHO_H

// Talks with `program` as takt would: `count` runs, one a millisecond, each timed from the write of
// `start` to the read of `result`. Fills `nanoseconds`. Returns 0, or -1 on failure.
int cecho_measure(const char *program, int count, long long *nanoseconds);

#endif
