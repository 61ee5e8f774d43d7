// System calls without the C library.
#ifndef CRAWCALL_H
#define CRAWCALL_H

// Returns a negative error number: code that shares memory with another thread, or has lost the
// library's own, must not touch `errno`.
__attribute__((always_inline)) static inline long raw(
    long number, long a, long b, long c, long d, long e) {
#if defined(__x86_64__)
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                   : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  __asm__ volatile("svc #0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
                   : "memory");
  return x0;
#else
#error "takt knows the system calls of x86-64 and of 64-bit ARM"
#endif
}

__attribute__((always_inline)) static inline long raw3(long number, long a, long b, long c) {
  return raw(number, a, b, c, 0, 0);
}

#endif
