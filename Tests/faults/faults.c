// Makes the disk under takt's ledger fail, for tests and for the benchmark.
//
//   cc -shared -fPIC -O2 -o faults.so faults.c -ldl
//   TAKT_FAULT_FILE=/tmp/fault LD_PRELOAD=./faults.so takt run
//
// The file that TAKT_FAULT_FILE names says what is wrong at present. It is read again at most every
// 20 ms, so that a fault begins and ends while takt runs; write it anew by a rename, or in one
// write. Missing, empty or not understood: nothing is wrong. It holds one line:
//
//   slow MS                 fsync and fdatasync take MS milliseconds longer
//   erofs | eio | enospc    writing fails with this error; with erofs opening for writing,
//                           removing and renaming fail as well
//
// Only files with "ledger.sqlite" in their path are touched, by which a descriptor is known through
// /proc/self/fd: all others, and whoever has no such variable, see nothing but the system itself.
// Reading never fails, and what is mapped into memory (the -shm file) is written as ever. Everything
// is done by system calls of its own and two atomic numbers: safe from any thread, in signal
// handlers, and between fork and exec. Children that inherit LD_PRELOAD load it too.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#if !defined(__linux__) || !defined(__LP64__)
#error "this shim knows the system calls of 64-bit Linux alone"
#endif

static const char victim[] = "ledger.sqlite";
static const int64_t reading_interval_ns = 20 * 1000 * 1000;

// The error with which writing fails in the upper half, milliseconds of slowness in the lower one.
static _Atomic uint64_t fault;
static _Atomic int64_t next_reading_ns;
static char fault_path[4096];

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("TAKT_FAULT_FILE");
  if (path && strlen(path) < sizeof fault_path) strcpy(fault_path, path);
}

static uint64_t parse(const char *text) {
  if (!strncmp(text, "slow ", 5)) return (uint32_t)strtoul(text + 5, NULL, 10);
  if (!strncmp(text, "erofs", 5)) return (uint64_t)EROFS << 32;
  if (!strncmp(text, "eio", 3)) return (uint64_t)EIO << 32;
  if (!strncmp(text, "enospc", 6)) return (uint64_t)ENOSPC << 32;
  return 0;
}

static uint64_t read_fault(void) {
  char text[64];
  long descriptor = syscall(SYS_openat, AT_FDCWD, fault_path, O_RDONLY | O_CLOEXEC, 0);
  if (descriptor < 0) return 0;
  long count = syscall(SYS_read, descriptor, text, sizeof text - 1);
  syscall(SYS_close, descriptor);
  if (count <= 0) return 0;
  text[count] = 0;
  return parse(text);
}

// What is wrong at present.
static uint64_t present_fault(void) {
  if (!fault_path[0]) return 0;
  int kept = errno;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
  int64_t due = atomic_load_explicit(&next_reading_ns, memory_order_relaxed);
  // One thread reads; the others go on with what was wrong before.
  if (now_ns >= due
      && atomic_compare_exchange_strong(&next_reading_ns, &due, now_ns + reading_interval_ns))
    atomic_store(&fault, read_fault());
  errno = kept;
  return atomic_load(&fault);
}

static int is_victim(int descriptor) {
  char link[32] = "/proc/self/fd/", path[4096], digits[12];
  if (descriptor < 0) return 0;
  int kept = errno;
  size_t place = sizeof digits;
  digits[--place] = 0;
  do digits[--place] = (char)('0' + descriptor % 10);
  while (descriptor /= 10);
  strcat(link, digits + place);
  long count = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  errno = kept;
  if (count <= 0) return 0;
  path[count] = 0;
  return strstr(path, victim) != NULL;
}

// Whether writing to a descriptor fails now; errno says how.
static int write_fails(int descriptor) {
  int number = (int)(present_fault() >> 32);
  if (!number || !is_victim(descriptor)) return 0;
  errno = number;
  return 1;
}

// Whether a path cannot be changed now.
static int is_read_only(const char *path) {
  if (!path || !strstr(path, victim) || present_fault() >> 32 != EROFS) return 0;
  errno = EROFS;
  return 1;
}

static void delay_sync(int descriptor) {
  uint32_t delay_ms = (uint32_t)present_fault();
  if (!delay_ms || !is_victim(descriptor)) return;
  struct timespec rest = {delay_ms / 1000, (long)(delay_ms % 1000) * 1000000};
  while (nanosleep(&rest, &rest) && errno == EINTR) {}
}

// MARK: Writing

ssize_t write(int descriptor, const void *bytes, size_t count) {
  return write_fails(descriptor) ? -1 : syscall(SYS_write, descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return write_fails(descriptor) ? -1 : syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  return pwrite(descriptor, bytes, count, offset);
}

ssize_t writev(int descriptor, const struct iovec *pieces, int count) {
  return write_fails(descriptor) ? -1 : syscall(SYS_writev, descriptor, pieces, count);
}

ssize_t pwritev(int descriptor, const struct iovec *pieces, int count, off_t offset) {
  return write_fails(descriptor) ? -1 : syscall(SYS_pwritev, descriptor, pieces, count, offset, 0);
}

ssize_t pwritev64(int descriptor, const struct iovec *pieces, int count, off64_t offset) {
  return pwritev(descriptor, pieces, count, offset);
}

ssize_t pwritev2(
    int descriptor, const struct iovec *pieces, int count, off_t offset, int flags) {
  if (write_fails(descriptor)) return -1;
  return syscall(SYS_pwritev2, descriptor, pieces, count, offset, 0, flags);
}

ssize_t pwritev64v2(
    int descriptor, const struct iovec *pieces, int count, off64_t offset, int flags) {
  return pwritev2(descriptor, pieces, count, offset, flags);
}

int ftruncate(int descriptor, off_t length) {
  return write_fails(descriptor) ? -1 : (int)syscall(SYS_ftruncate, descriptor, length);
}

int ftruncate64(int descriptor, off64_t length) { return ftruncate(descriptor, length); }

int fallocate(int descriptor, int mode, off_t offset, off_t length) {
  if (write_fails(descriptor)) return -1;
  return (int)syscall(SYS_fallocate, descriptor, mode, offset, length);
}

int fallocate64(int descriptor, int mode, off64_t offset, off64_t length) {
  return fallocate(descriptor, mode, offset, length);
}

// MARK: Syncing

int fsync(int descriptor) {
  delay_sync(descriptor);
  return (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
  delay_sync(descriptor);
  return (int)syscall(SYS_fdatasync, descriptor);
}

// MARK: Names

static int open_at(int folder, const char *path, int flags, mode_t mode) {
  int writes = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
  if (writes && is_read_only(path)) return -1;
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}

// The mode of a file that is made; there is none where none is made.
#define MODE_AFTER(flags)                                                                       \
  mode_t mode = 0;                                                                              \
  if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) {                                \
    va_list rest;                                                                               \
    va_start(rest, flags);                                                                      \
    mode = va_arg(rest, mode_t);                                                                \
    va_end(rest);                                                                               \
  }

int open(const char *path, int flags, ...) {
  MODE_AFTER(flags)
  return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  MODE_AFTER(flags)
  return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
  MODE_AFTER(flags)
  return open_at(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
  MODE_AFTER(flags)
  return open_at(folder, path, flags, mode);
}

int unlink(const char *path) {
  return is_read_only(path) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int rename(const char *from, const char *to) {
  if (is_read_only(from) || is_read_only(to)) return -1;
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
