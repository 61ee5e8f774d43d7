#ifndef CPREFETCH_H
#define CPREFETCH_H

/// Begins to fetch the memory at an address; harmless at any address, also a stale one.
static inline void cprefetch(const void *address) {
  __builtin_prefetch(address);
}

#endif
