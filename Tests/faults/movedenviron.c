/* Moves the environment before the program begins, as libfaketime does. */
#include <stdlib.h>

__attribute__((constructor)) static void move(void) { setenv("TAKT_TEST_MOVED", "1", 1); }
