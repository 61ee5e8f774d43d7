#if defined(__linux__)
#define _GNU_SOURCE
#include "CTaktSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

int csystem_io_priority(pid_t pid) { return (int)syscall(SYS_ioprio_get, 1, pid); }

int csystem_memory_file(const char *name, const void *bytes, size_t count) {
  // The flags of memfd_create: close on exec, allow sealing, never executable where that exists.
  int descriptor = (int)syscall(SYS_memfd_create, name, 1U | 2U | 8U);
  if (descriptor < 0 && errno == EINVAL) descriptor = (int)syscall(SYS_memfd_create, name, 1U | 2U);
  if (descriptor < 0) return -1;
  for (size_t done = 0; done < count;) {
    ssize_t written = write(descriptor, (const char *)bytes + done, count - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      int error = written < 0 ? errno : EIO;
      close(descriptor);
      errno = error;
      return -1;
    }
    done += (size_t)written;
  }
  // Seals: no more seals, no shrinking, no growing, no writing. Any user may read it, if only the
  // child has it to read.
  if (fchmod(descriptor, 0444) != 0 || lseek(descriptor, 0, SEEK_SET) != 0 ||
      fcntl(descriptor, 1024 + 9 /* F_ADD_SEALS */, 1 | 2 | 4 | 8) != 0) {
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
  }
  return descriptor;
}

int csystem_become_subreaper(void) {
  return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 ? 0 : errno;
}

static int64_t microseconds(struct timeval time) {
  return (int64_t)time.tv_sec * 1000000 + time.tv_usec;
}

pid_t csystem_reap(
    csystem_children which, int id, int *exited, int *status, csystem_use *use) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  idtype_t type = which == CSYSTEM_HANDLE  ? (idtype_t)P_PIDFD
                  : which == CSYSTEM_GROUP ? P_PGID
                                           : P_PID;
  struct rusage usage;
  memset(&usage, 0, sizeof usage);
  long result;
  do {
    // The library's function lacks the fifth argument, by which the cost comes at no further call.
    result = syscall(SYS_waitid, type, id, &info, WEXITED | WNOHANG | __WALL, &usage);
  } while (result != 0 && errno == EINTR);
  if (result != 0) return -1;
  if (info.si_pid == 0) return 0;
  *exited = info.si_code == CLD_EXITED ? 1 : info.si_code == CLD_DUMPED ? -1 : 0;
  *status = info.si_status;
  use->user_us = microseconds(usage.ru_utime);
  use->system_us = microseconds(usage.ru_stime);
  use->memory_peak_kib = usage.ru_maxrss;
  use->read_blocks = usage.ru_inblock;
  use->written_blocks = usage.ru_oublock;
  use->voluntary_switches = usage.ru_nvcsw;
  use->involuntary_switches = usage.ru_nivcsw;
  return info.si_pid;
}

int64_t csystem_memory_peak_bound_kib(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : INT64_MAX;
}

int64_t csystem_own_memory_peak_kib(void) {
  char text[4096];
  int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return INT64_MAX;
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return INT64_MAX;
  text[count] = 0;
  const char *peak = strstr(text, "\nVmHWM:");
  return peak ? strtoll(peak + 7, NULL, 10) : INT64_MAX;
}

pid_t csystem_peek_ended(void) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0) return 0;
  return info.si_pid;
}

int csystem_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int csystem_epoll_add(int epoll, int fd, uint64_t id, int is_for_writing) {
  struct epoll_event event = {.events = is_for_writing ? EPOLLOUT : EPOLLIN, .data.u64 = id};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : errno;
}

int csystem_epoll_remove(int epoll, int fd) {
  struct epoll_event event = {0};
  return epoll_ctl(epoll, EPOLL_CTL_DEL, fd, &event) == 0 ? 0 : errno;
}

int csystem_epoll_wait(int epoll, uint64_t *ids, int capacity, int timeout_ms) {
  struct epoll_event events[64];
  if (capacity > 64) capacity = 64;
  int count = epoll_wait(epoll, events, capacity, timeout_ms);
  for (int index = 0; index < count; index++)
    ids[index] = events[index].data.u64 | (events[index].events & EPOLLHUP ? CSYSTEM_HUNG_UP : 0);
  return count < 0 ? 0 : count;
}

int csystem_pipe(int ends[2], int own_end) {
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  return fcntl(ends[own_end], F_SETFL, O_NONBLOCK);
}

void csystem_widen_pipe(int fd, int bytes) { fcntl(fd, F_SETPIPE_SZ, bytes); }

#ifndef TIOCGPTPEER
#define TIOCGPTPEER _IO('T', 0x41)
#endif

// The child's end is opened by takt's, without a path: of another mount of devpts it would be another.
static int terminal_peer(int own, int rows, int columns, long owner) {
  if (grantpt(own) != 0 || unlockpt(own) != 0) return -1;
  int peer = ioctl(own, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (peer < 0) return -1;
  struct winsize size;
  memset(&size, 0, sizeof size);
  size.ws_row = (unsigned short)rows;
  size.ws_col = (unsigned short)columns;
  struct termios modes;
  if (tcgetattr(peer, &modes) == 0 && ioctl(peer, TIOCSWINSZ, &size) == 0 &&
      (owner < 0 || fchown(peer, (uid_t)owner, (gid_t)-1) == 0)) {
    // What is printed is read as it is, without carriage returns before line ends.
    modes.c_oflag &= ~(tcflag_t)OPOST;
    modes.c_lflag &= ~(tcflag_t)ECHO;
    if (tcsetattr(peer, TCSANOW, &modes) == 0) return peer;
  }
  int error = errno;
  close(peer);
  errno = error;
  return -1;
}

int csystem_terminal(int ends[2], int rows, int columns, long owner) {
  ends[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (ends[0] < 0) return -1;
  ends[1] = terminal_peer(ends[0], rows, columns, owner);
  if (ends[1] >= 0) return 0;
  int error = errno;
  close(ends[0]);
  errno = error;
  return -1;
}

int csystem_pipe_bytes(int fd) {
  int bytes = 0;
  return ioctl(fd, FIONREAD, &bytes) == 0 ? bytes : 0;
}

const char *csystem_error_text(int number, char *buffer, size_t size) {
  return strerror_r(number, buffer, size);
}

void csystem_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

int csystem_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

static void fill(sigset_t *set, const int *signals, int count) {
  sigemptyset(set);
  for (int index = 0; index < count; index++) sigaddset(set, signals[index]);
}

int csystem_signalfd(const int *signals, int count) {
  sigset_t set;
  fill(&set, signals, count);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int csystem_read_signal(int fd) {
  struct signalfd_siginfo info;
  return read(fd, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : 0;
}

void csystem_block_signals(const int *signals, int count) {
  sigset_t set;
  fill(&set, signals, count);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void csystem_heap_trim(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

// What may be written is not only in the file any more.
static int drop_pages(struct dl_phdr_info *object, size_t size, void *unused) {
  (void)size, (void)unused;
  for (int index = 0; index < object->dlpi_phnum; index++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[index];
    if (part->p_type != PT_LOAD || (part->p_flags & PF_W)) continue;
    uintptr_t start = object->dlpi_addr + part->p_vaddr, rest = start % (uintptr_t)getpagesize();
    madvise((void *)(start - rest), part->p_memsz + rest, MADV_DONTNEED);
  }
  return 0;
}

void csystem_program_trim(void) { dl_iterate_phdr(drop_pages, NULL); }

#ifdef __GLIBC__
static void heap_option(int option, int value, const char *variable, const char *tunable) {
  const char *tunables = getenv("GLIBC_TUNABLES");
  if (getenv(variable) || (tunables && strstr(tunables, tunable))) return;
  mallopt(option, value);
}
#endif

void csystem_heap_options(int arenas, int large, int unused) {
#ifdef __GLIBC__
  heap_option(M_ARENA_MAX, arenas, "MALLOC_ARENA_MAX", "glibc.malloc.arena_max");
  heap_option(M_MMAP_THRESHOLD, large, "MALLOC_MMAP_THRESHOLD_", "glibc.malloc.mmap_threshold");
  heap_option(M_TRIM_THRESHOLD, unused, "MALLOC_TRIM_THRESHOLD_", "glibc.malloc.trim_threshold");
#else
  (void)arenas, (void)large, (void)unused;
#endif
}
#endif
