// The guard: a second process, which ends attempts when takt cannot.
//
// It knows the attempts that are in progress, and a deadline that takt puts off again and again.
// When the deadline passes, or when takt is gone, it kills all processes of these attempts that are
// proven to be theirs. It is a copy of takt: a loop of system calls that has given back takt's memory
// and descriptors. When takt is gone and nothing is left of the attempts, it may execute one command
// that tells others so, and becomes that.
#ifndef CGUARD_H
#define CGUARD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { CGUARD_ADD = 1, CGUARD_REMOVE = 2, CGUARD_DEADLINE = 3, CGUARD_QUIT = 4 };
// An attempt that lives on when the deadline passes, and ends when takt is gone.
enum { CGUARD_ADD_FINISHING = 5 };
// What takt is called by those who are to hear that nothing is left of it: `since`, 0 for nobody.
enum { CGUARD_MEMBER = 6 };
enum { CGUARD_MARK_BYTES = 32, CGUARD_GROUP_BYTES = 24 };

// What the guard is told: one record at a time, whole or not at all.
typedef struct {
  uint32_t kind;
  // Of an attempt: its first process, whose number is that of its group and session; 0 when it is
  // not known.
  int32_t pid;
  // Names an attempt; none other ever has the same.
  uint64_t attempt;
  // Of an attempt: its first process has started between these clock ticks. Of a deadline: `since`
  // is the instant in nanoseconds of CLOCK_BOOTTIME, 0 for none.
  uint64_t since, until;
  // What stands in the environment of the attempt's processes; all zero when nothing does.
  char mark[CGUARD_MARK_BYTES];
  // The name of the attempt's control group in the folder of such groups, with a zero behind it;
  // all zero for none. It is the group of no other attempt, ever.
  char group[CGUARD_GROUP_BYTES];
} cguard_record;

// What a guard knows from its beginning.
typedef struct {
  const cguard_record *attempts;
  size_t count;
  uint64_t deadline;  // as in a record
  int groups;         // the folder of the attempts' control groups; negative for none
  uint64_t member;    // as in a record
  // The words of takt's own command that tells others, with NULL behind them; the member is added as
  // the last one. NULL for no such command.
  char *const *farewell;
} cguard_setup;

// Starts a guard. Returns 0 or an error number.
//
// `*pipe` takes records and does not block. `*handle` means the guard, which is a child of the
// calling thread and ends when it is told to, or when takt is gone and its work is done.
int cguard_start(const cguard_setup *setup, pid_t *pid, int *handle, int *pipe);

// Tells the guard something. Returns 0 or an error number: EAGAIN when the pipe is full, EPIPE when
// the guard is gone. SIGPIPE must be ignored.
int cguard_send(int pipe, const cguard_record *record);

#endif
