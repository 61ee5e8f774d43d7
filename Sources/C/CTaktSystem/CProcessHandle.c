#if defined(__linux__)
#define _GNU_SOURCE
#include "CProcessHandle.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

int cprocess_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int cprocess_signal(int handle, int signal) {
  return syscall(SYS_pidfd_send_signal, handle, signal, NULL, 0) == 0 ? 0 : errno;
}

int cprocess_signal_group(int handle, pid_t group, int signal) {
  // PIDFD_SIGNAL_PROCESS_GROUP: since Linux 6.9.
  if (syscall(SYS_pidfd_send_signal, handle, signal, NULL, 1U << 2) == 0) return 0;
  if (errno != EINVAL) return errno;
  return kill(-group, signal) == 0 ? 0 : errno;
}
#endif
