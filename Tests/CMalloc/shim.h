#include <malloc.h>

/* From now on the heap is one piece that only grows, so that its size is the most that was ever in use. */
static inline void cmalloc_make_peaks_readable(void) {
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_TOP_PAD, 0);
}

/* The bytes of the whole heap, what lies free in it too. */
static inline long cmalloc_size(void) {
    return (long)mallinfo2().arena;
}

/* Gives back what lies free at the end of the heap; returns the bytes that are left. */
static inline long cmalloc_trim(void) {
    malloc_trim(0);
    return cmalloc_size();
}
