// Handles on processes, so that a number that has been given anew is never hit.
#ifndef CPROCESSHANDLE_H
#define CPROCESSHANDLE_H

#include <sys/types.h>

// A descriptor that means this very process, or -1 with errno.
int cprocess_open(pid_t pid);
// Sends it a signal. Returns 0 or an error number; ESRCH when it has ended.
int cprocess_signal(int handle, int signal);
// Sends all of its process group a signal, also when it has itself ended; `group` is the group's
// number, for kernels that only take that. Returns 0 or an error number; ESRCH when nobody is left.
int cprocess_signal_group(int handle, pid_t group, int signal);

#endif
