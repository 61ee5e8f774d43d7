#include "CFuzzer.h"

// `make fuzz` links libFuzzer; ordinary builds replay inputs only.
__attribute__((weak)) int LLVMFuzzerRunDriver(int *argc, char ***argv, cfuzzer_callback callback);

int cfuzzer_run(int argc, char **argv, cfuzzer_callback callback) {
  if (!LLVMFuzzerRunDriver) return -1;
  return LLVMFuzzerRunDriver(&argc, &argv, callback);
}
