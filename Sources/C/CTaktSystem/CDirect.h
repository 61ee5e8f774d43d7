// Executing a command in place of the shell that would only execute it.
#ifndef CDIRECT_H
#define CDIRECT_H

#include "CTaktSystem.h"

#include <limits.h>
#include <stddef.h>

typedef struct {
  csystem_direct request;
  char **envp;
  int count;  // of variables in envp; after them is room for those that are known in the child alone
  char *given_folder;
  volatile int is_executed;
  char folder[sizeof "PWD=" + PATH_MAX];
} direct_launch;

// How many pointers `envp` needs for an environment of so many variables.
size_t direct_room(size_t count);

// Fills `envp` with what the shell passes on of an environment. Both live as long as the child needs
// them.
void direct_fill(direct_launch *direct, char *const *envp);

// In the child, which is in its folder already: raw system calls alone. Returns where the shell is to
// be executed.
void direct_execute(direct_launch *direct, const volatile int *is_abandoned);

#endif
