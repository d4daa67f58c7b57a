/* The time during which a loop was able to read. On the loop's thread. */
#ifndef CS_CLOCK_H
#define CS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

/* While the process is stopped, the machine sleeps or one turn takes long, peers may send data that is not read. The
   peers are not silent then, so the clock stands still meanwhile. It must be read more often than every `most`
   milliseconds. */
struct cs_clock {
    uint64_t seen, lost; /* ms: when it was last read, and how long it stood still in total */
    uint64_t most;       /* ms: a longer interval between two reads counts as a pause */
    uint64_t known;      /* `lost` at the last tick */
    bool waits;          /* the last tick was put off */
};

static inline void cs_clock_start(struct cs_clock *clock, const uv_loop_t *loop, uint64_t most) {
    *clock = (struct cs_clock){.seen = uv_now(loop), .most = most};
}

static inline uint64_t cs_clock_now(struct cs_clock *clock, const uv_loop_t *loop) {
    uint64_t now = uv_now(loop), passed = now - clock->seen;
    clock->lost += passed > clock->most ? passed - clock->most : 0;
    clock->seen = now;
    return now - clock->lost;
}

/* Called at a tick. True after a pause: the loop first reads what came meanwhile, and checks for silence at the next
   tick. */
static inline bool cs_clock_tick(struct cs_clock *clock, const uv_loop_t *loop) {
    cs_clock_now(clock, loop);
    clock->waits = clock->lost != clock->known && !clock->waits;
    clock->known = clock->lost;
    return clock->waits;
}

#endif
