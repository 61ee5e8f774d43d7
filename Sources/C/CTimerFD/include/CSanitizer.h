#ifndef CSANITIZER_H
#define CSANITIZER_H

#include <stdbool.h>

// ThreadSanitizer's own functions; null in a process that runs without it.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

/// Whether the process runs with ThreadSanitizer.
static inline bool csanitizer_is_present(void) {
  return __tsan_acquire != 0;
}

/// Tells ThreadSanitizer, if there is one, that a lock at this address was taken.
static inline void csanitizer_lock_taken(const void *address) {
  if (__tsan_acquire) __tsan_acquire((void *)address);
}

/// Tells ThreadSanitizer, if there is one, that a lock at this address is about to be given back.
static inline void csanitizer_lock_returning(const void *address) {
  if (__tsan_release) __tsan_release((void *)address);
}

#endif
