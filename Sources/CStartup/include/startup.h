#pragma once

/* Runs before main() and before anything else opens a file.
 *
 * It opens those of the descriptors 0 to 2 that the program was started without, on /dev/null. Otherwise the program's
 * first files would take their numbers, and the output for standard error would be written into them. */

/* Returns the words that the process was started with, as the system passed them; NULL if it passed none. They live as
 * long as the process. Any thread may call this.
 *
 * The Swift library looks for them on the stack, below the environment. It finds none when a setenv() before main() has
 * moved that, or when /proc does not exist. */
char *_Nullable const *_Nullable startup_arguments(void);

/* Returns the number of words. */
int startup_argument_count(void);
