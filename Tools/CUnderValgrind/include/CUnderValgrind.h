#ifndef C_UNDER_VALGRIND_H
#define C_UNDER_VALGRIND_H

// What a program does under valgrind alone. A program that links this starts children by a plain
// fork there: see `clone` in CUnderValgrind.c.

// From now on callgrind counts the instructions of all threads, if it was started with
// `--instr-atstart=no`.
void cvalgrind_start_counting(void);

// The instructions that follow do not count.
void cvalgrind_stop_counting(void);

#endif
