/*
 * The pieces of files. A piece is read or written by libuv, which calls back on the loop. Meanwhile the connection may
 * end: then the transfer stays until that call, because libuv still uses its buffer and its descriptor. A loop that is
 * destroyed ends after that call, too, since libuv's loops run while they have requests.
 */
#include "conn/transfer.h"

#include <unistd.h>

/* ---- the end ---- */

static void on_file_closed(uv_fs_t *work) {
    uv_fs_req_cleanup(work);
    free(work);
}

void cs_file_close(struct loop *loop, int file) {
    uv_fs_t *work = malloc(sizeof *work);
    if (work && !uv_fs_close(&loop->uv, work, file, on_file_closed))
        return;
    free(work);
    close(file);
}

void cs_upload_report(struct loop *loop, uint64_t request, uint64_t count, bool whole) {
    loop->server->events.body_saved(loop->server->ctx, request, count, whole);
}

static void finish(struct transfer *transfer) {
    struct loop *loop = transfer->loop;
    bool whole = !transfer->left && !transfer->count && !transfer->failed;
    cs_transfer_drop_buffer(transfer);
    if (transfer->direction == CS_UPLOAD)
        cs_upload_report(loop, transfer->request, transfer->moved, whole);
    else
        cs_file_close(loop, transfer->file);
    free(transfer);
}

void cs_transfer_end(struct transfer *transfer) {
    transfer->conn = NULL;
    if (!transfer->busy)
        finish(transfer);
}

/* ---- pieces ---- */

/* Records what libuv has done. */
static void complete(struct transfer *transfer, ssize_t result) {
    transfer->busy = false;
    transfer->failed = result <= 0; /* no bytes: the file ends before its part does */
    size_t count = result > 0 ? (size_t)result : 0;
    transfer->offset += count;
    if (transfer->direction == CS_DOWNLOAD) {
        transfer->left -= count;
        transfer->start = 0;
        transfer->count = count;
    } else {
        transfer->moved += count;
        transfer->start += count;
        transfer->count -= count;
    }
}

static void on_done(uv_fs_t *work) {
    struct transfer *transfer = work->data;
    ssize_t result = work->result;
    uv_fs_req_cleanup(work);
    complete(transfer, result);
    /* A disk that is almost full takes less than all of a piece. The next write says why. */
    if (transfer->direction == CS_UPLOAD && transfer->count && !transfer->failed && cs_transfer_write(transfer))
        return;
    if (transfer->conn)
        transfer->continue_with(transfer->conn);
    else
        finish(transfer);
}

/* Returns false when libuv did not begin. */
static bool start(struct transfer *transfer, int failed) {
    transfer->busy = !failed;
    transfer->failed |= failed != 0;
    transfer->since = cs_loop_now(transfer->loop);
    return !failed;
}

bool cs_transfer_read(struct transfer *transfer) {
    size_t count = transfer->left < CS_PIECE_BYTES ? (size_t)transfer->left : CS_PIECE_BYTES;
    uv_buf_t piece = uv_buf_init((char *)transfer->buffer, (unsigned)count);
    return start(transfer, uv_fs_read(&transfer->loop->uv, &transfer->work, transfer->file, &piece, 1,
                                      (int64_t)transfer->offset, on_done));
}

bool cs_transfer_write(struct transfer *transfer) {
    uv_buf_t piece = uv_buf_init((char *)transfer->buffer + transfer->start, (unsigned)transfer->count);
    return start(transfer, uv_fs_write(&transfer->loop->uv, &transfer->work, transfer->file, &piece, 1,
                                       (int64_t)transfer->offset, on_done));
}

/* ---- memory ---- */

struct transfer *cs_transfer_new(struct conn *conn, enum cs_direction direction, const struct cs_file_part *part,
                                 void (*continue_with)(struct conn *conn)) {
    struct transfer *transfer = calloc(1, sizeof *transfer);
    if (!transfer)
        return NULL;
    transfer->work.data = transfer;
    transfer->loop = conn->loop;
    transfer->conn = conn;
    transfer->request = conn->id;
    transfer->direction = direction;
    transfer->file = part->file;
    transfer->offset = part->start;
    transfer->left = part->count;
    transfer->continue_with = continue_with;
    return transfer;
}

bool cs_transfer_make_buffer(struct transfer *transfer) {
    if (transfer->buffer)
        return true;
    if (!(transfer->buffer = malloc(CS_PIECE_BYTES)))
        return false;
    CS_CHARGE(transfer->loop, answer_bytes, CS_PIECE_BYTES);
    return true;
}

void cs_transfer_drop_buffer(struct transfer *transfer) {
    CS_COUNT(transfer->loop, answer_bytes, -(int64_t)cs_transfer_count_held(transfer));
    free(transfer->buffer);
    transfer->buffer = NULL;
    transfer->start = transfer->count = 0;
}
