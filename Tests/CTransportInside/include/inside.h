/* Measures of work that only the inside of CChatSocket shows. */
#ifndef INSIDE_H
#define INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/* Nanoseconds that this thread computes while a header of `count` bytes is checked, of which one more comes at a time.
   The status of the answer goes to `status`; 0: it is let in. */
uint64_t inside_judging(const char *header, size_t count, unsigned *status);
/* … while so many connections end, each with something left to be written to it, those first that came first. */
uint64_t inside_disconnects(unsigned count);
/* … while so many topics lose their only reader, each with news that have not left. */
uint64_t inside_last_readers(unsigned count);

#pragma clang assume_nonnull end

#endif
