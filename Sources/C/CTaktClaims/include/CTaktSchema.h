// The SQL of the folder schema, as it is in this program.
#ifndef CTAKT_SCHEMA_H
#define CTAKT_SCHEMA_H

#include <stddef.h>

typedef struct {
  const unsigned char *bytes;
  size_t count;
} takt_schema_text;

// One machine installs at a time.
extern const takt_schema_text takt_schema_lock;
// Fails where the schema is installed.
extern const takt_schema_text takt_schema_check;
// Installs the schema, or brings an older one up to date.
extern const takt_schema_text takt_schema_script;

#endif
