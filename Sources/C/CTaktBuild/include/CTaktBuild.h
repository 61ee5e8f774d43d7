// Facts of this build, the versions of the libraries that are loaded when they are needed, and the
// files of a new plugin.
#ifndef CTAKT_BUILD_H
#define CTAKT_BUILD_H

#include "CTaktPlugin.h"

// The commit that the program was built from; empty where TAKT_COMMIT was not set.
const char *takt_build_commit(void);
// The version of glibc.
const char *takt_libc_version(void);
// The version of libcurl; NULL where it cannot be loaded.
const char *takt_curl_version(void);
// The version of libpq as its PQlibVersion has it, such as 150018; 0 where it cannot be loaded.
int takt_postgres_version(void);

#endif
