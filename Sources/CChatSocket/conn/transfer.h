/* A part of a file on its way from or to a peer. The file is read and written on threads of libuv's, one piece at a time,
   so that a loop never waits for a disk. On the loop's thread. */
#ifndef CS_TRANSFER_H
#define CS_TRANSFER_H

#include "conn/loop.h"

enum cs_direction {
    CS_UPLOAD, /* into a file that belongs to the application: body_saved() ends it */
    CS_DOWNLOAD, /* from a file that belongs to the transfer */
};

/* One part of one file. While a piece is being read or written, the transfer outlives its connection, and keeps the loop
   running. */
struct transfer {
    uv_fs_t work;
    struct loop *loop;
    struct conn *conn; /* NULL: it has ended, or needs the transfer no more */
    uint64_t request;
    enum cs_direction direction;
    int file;
    uint64_t offset; /* in the file, of the next piece */
    uint64_t left; /* bytes that have not come into the buffer */
    uint64_t moved; /* bytes that have left it for the file */
    uint8_t *buffer; /* of CS_PIECE_BYTES; NULL while there is nothing to put into it */
    size_t start, count; /* the bytes in the buffer */
    uint64_t since; /* ms: when the work began */
    size_t fresh; /* bytes since the last progress that counts */
    bool busy; /* libuv has the buffer */
    bool failed; /* the file could not be read or written */
    void (*continue_with)(struct conn *conn); /* called after each piece */
};

struct cs_file_part {
    int file;
    uint64_t start, count;
};

/* Makes the transfer of the connection's exchange. NULL: out of memory, and the file stays the caller's. */
struct transfer *cs_transfer_new(struct conn *conn, enum cs_direction direction, const struct cs_file_part *part,
                                 void (*continue_with)(struct conn *conn));
/* Detaches the connection. The transfer ends, and is freed, when the piece that libuv has is done. */
void cs_transfer_end(struct transfer *transfer);

/* Makes or frees the buffer. False: out of memory. */
bool cs_transfer_make_buffer(struct transfer *transfer);
void cs_transfer_drop_buffer(struct transfer *transfer);
/* Begins to read the next piece into the buffer, or to write what is in it. False: it failed at once. */
bool cs_transfer_read(struct transfer *transfer);
bool cs_transfer_write(struct transfer *transfer);

static inline size_t cs_transfer_count_held(const struct transfer *transfer) {
    return transfer && transfer->buffer ? CS_PIECE_BYTES : 0;
}

/* Reports the end of an upload. */
void cs_upload_report(struct loop *loop, uint64_t request, uint64_t count, bool whole);
/* Closes a descriptor on a thread of libuv's: the last one of a removed file may take long. */
void cs_file_close(struct loop *loop, int file);

#endif
