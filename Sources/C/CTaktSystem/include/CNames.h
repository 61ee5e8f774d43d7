// Walking along a path name by name, so that it is known what led to the file at its end.
#ifndef CNAMES_H
#define CNAMES_H

#include <stdint.h>

// Declared alone: a second definition beside that of Swift's Glibc would hide it at times.
struct stat;

// One folder, link or file on the way, whose status and name the trail keeps.
typedef struct {
  const struct stat *status;
  // That of the root is empty.
  const char *name;
  // The place of the folder that it is in; -1 for the root.
  int32_t folder;
  int is_told;  // another process says what the status is (FUSE)
} csystem_fact;

// What was met on the way, in order; what `..` leads back to is not listed again.
typedef struct csystem_trail csystem_trail;

// An empty trail; null where there is no memory.
csystem_trail *csystem_trail_make(void);
void csystem_trail_free(csystem_trail *trail);
// Makes it a copy of another one; of none, an empty one.
void csystem_trail_set(csystem_trail *trail, const csystem_trail *other);
int csystem_trail_count(const csystem_trail *trail);
csystem_fact csystem_trail_fact(const csystem_trail *trail, int place);
// The place of what the whole path leads to; -1 where that was not reached.
int csystem_trail_last(const csystem_trail *trail);

// What is opened at the end of the path.
typedef enum {
  // Nothing but an O_PATH descriptor, whatever is there.
  CSYSTEM_LOOK = 0,
  // A regular file for reading, without waiting for anybody; -EISDIR or -EINVAL for anything else,
  // which is not opened.
  CSYSTEM_READ = 1,
} csystem_purpose;

// Walks along a path and writes down what it meets. It decides nothing.
//
// An absolute path is walked from the root with an empty trail. A relative one goes on from `folder`,
// an O_PATH descriptor of the folder that is the trail's last fact; the descriptor stays the caller's.
// Returns a descriptor, or minus an error number.
int csystem_walk(int folder, const char *path, csystem_purpose purpose, csystem_trail *trail);

// Whether another process says what is in the file system of an open file, owners and rights too
// (FUSE). One that does not answer is such a one.
int csystem_is_told(int file);

// Whether an access control list says of the file at a path more than its mode does.
int csystem_has_access_list(const char *path);

#endif
