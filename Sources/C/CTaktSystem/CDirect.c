// Executing a command in place of the shell that would only execute it.
#if defined(__linux__)
#define _GNU_SOURCE
#include "CDirect.h"

#include "CRawCall.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ADDED_MAX = 3 };

size_t direct_room(size_t count) { return count + ADDED_MAX + 1; }

void direct_fill(direct_launch *direct, char *const *envp) {
  const csystem_direct *request = &direct->request;
  int dropped = 0;
  direct->count = 0;
  direct->is_executed = 0;
  direct->given_folder = request->folder >= 0 ? envp[request->folder] : NULL;
  for (int place = 0; envp[place]; place++) {
    if (dropped < request->dropped_count && request->dropped[dropped] == place)
      dropped++;
    else
      direct->envp[direct->count++] = envp[place];
  }
}

static int is_same_folder(const char *first, const char *second) {
  struct stat one, other;
  return raw(SYS_newfstatat, AT_FDCWD, (long)first, (long)&one, 0, 0) == 0 &&
         raw(SYS_newfstatat, AT_FDCWD, (long)second, (long)&other, 0, 0) == 0 &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// PWD as the shell sets it: it keeps the path that it is given, with its links, if it leads to the
// folder. NULL where the folder has no path.
static char *folder(direct_launch *direct) {
  static const char name[] = "PWD=";
  size_t length = sizeof name - 1;
  char *given = direct->given_folder;
  if (given && given[length] == '/' && is_same_folder(given + length, ".")) return given;
  for (size_t index = 0; index < length; index++) direct->folder[index] = name[index];
  long result =
      raw3(SYS_getcwd, (long)(direct->folder + length), sizeof direct->folder - length, 0);
  return result > 0 && direct->folder[length] == '/' ? direct->folder : NULL;
}

// Whether a shell would not see a file there, and look in the next folder.
static int is_missing(long result) {
  return result == -ENOENT || result == -ENOTDIR || result == -EACCES;
}

void direct_execute(direct_launch *direct, const volatile int *is_abandoned) {
  const csystem_direct *request = &direct->request;
  int count = direct->count;
  char *pwd = folder(direct);
  if (!pwd) return;
  direct->envp[count++] = pwd;
  if (request->added) direct->envp[count++] = (char *)request->added;
  char **program = request->names_program ? &direct->envp[count++] : NULL;
  direct->envp[count] = NULL;
  for (const char *const *candidate = request->candidates; *candidate; candidate++) {
    if (*is_abandoned) return;
    const char *path = *candidate + 2;
    if (program) *program = (char *)*candidate;
    // The memory is the parent's too, who reads it after the end of this call.
    direct->is_executed = 1;
    long result = raw3(SYS_execve, (long)path, (long)request->argv, (long)direct->envp);
    direct->is_executed = 0;
    // A file that is there and is not executed is for the shell: it may be a script without `#!`.
    if (!is_missing(result)) return;
    if (!is_missing(raw3(SYS_faccessat, AT_FDCWD, (long)path, F_OK))) return;
  }
}
#endif
