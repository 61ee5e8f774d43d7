#ifndef C_FUZZER_H
#define C_FUZZER_H

#include <stddef.h>
#include <stdint.h>

typedef int (*cfuzzer_callback)(const uint8_t *bytes, size_t count);

// Lets libFuzzer call `callback` with one input after the other, as its options say; -1 in a program
// that was built without libFuzzer.
int cfuzzer_run(int argc, char **argv, cfuzzer_callback callback);

#endif
