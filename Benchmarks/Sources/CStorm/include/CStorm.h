// What one would write in C without a scheduler: start so many programs, so many at a time.
#ifndef CSTORM_H
#define CSTORM_H

// Starts `program` `count` times by posix_spawn, at most `concurrency` at a time, each with standard
// output and error going to /dev/null. Returns the nanoseconds from the first start to the last end,
// or -1.
long long cstorm_run(const char *program, int count, int concurrency);

#endif
