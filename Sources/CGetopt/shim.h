#include <getopt.h>

/* Wraps getopt_long(3), which answers through globals that Swift cannot read safely, and returns their values after
 * each call. Not thread-safe. `*argument` lives as long as `argv`. */
static inline int cgetopt_next(int argc, char *_Nullable *_Nonnull argv, const struct option *_Nonnull options,
                               const char *_Nullable *_Nonnull argument) {
    opterr = 0;
    int found = getopt_long(argc, argv, ":", options, (int *)0);
    *argument = optarg;
    return found;
}

/* Starts over. */
static inline void cgetopt_reset(void) {
    optind = 0;
}

/* The index of the next word: after the last call, of the first operand. */
static inline int cgetopt_place(void) {
    return optind;
}
