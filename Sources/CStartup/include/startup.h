#pragma once

/* What must be done, and known, before main() and before anything else opens a file.
 *
 * Descriptors 0 to 2 are open from then on: one that the program was started without leads to /dev/null. Otherwise the
 * first files that it opens would take their places, and what is meant for standard error would be written into them. */

/* The words that the process was started with, as the system handed them over; it is theirs for ever. The Swift library
 * looks for them on the stack, below the environment: it finds none when a library has moved that, by a setenv() before
 * main(), or when /proc is not there. NULL if the system hands over none. Any thread. */
char *_Nullable const *_Nullable startup_arguments(void);

/* How many there are. */
int startup_argument_count(void);
