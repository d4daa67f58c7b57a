/*
 * An answer whose body is a part of a file. The next piece is read when the peer has taken the last one, so a slow
 * reader holds one piece in memory, and no reader makes the loop wait for the disk.
 */
#include "http/http.h"
#include "tls/tls.h"

bool cs_download_open(struct conn *conn, void (*continue_with)(struct conn *conn)) {
    struct exchange *exchange = conn->exchange;
    struct answer *answer = exchange->answer;
    struct cs_file_part part = {answer->file, answer->file_start, answer->file_count};
    exchange->transfer = cs_transfer_new(conn, CS_DOWNLOAD, &part, continue_with);
    if (exchange->transfer)
        answer->file = -1; /* it belongs to the transfer */
    return exchange->transfer;
}

/* Writes what is in the buffer. Returns false when the connection is broken. */
static bool write_piece(struct conn *conn, struct transfer *transfer) {
    struct iovec part = {.iov_base = transfer->buffer + transfer->start, .iov_len = transfer->count};
    ssize_t sent = transfer->count ? conn->carrier->write(conn, &part, 1) : 0;
    if (sent < 0)
        return false;
    transfer->start += (size_t)sent;
    transfer->count -= (size_t)sent;
    CS_COUNT(conn->loop, bytes_out, sent);
    return true;
}

enum cs_download_status cs_download_write(struct conn *conn) {
    struct transfer *transfer = conn->exchange->transfer;
    if (!transfer)
        return CS_DOWNLOADED;
    if (transfer->busy)
        return CS_READS_FILE;
    if (transfer->failed || !write_piece(conn, transfer))
        return CS_DOWNLOAD_BROKE;
    if (transfer->count)
        return CS_NEEDS_ROOM;
    bool full = conn->bridge && cs_tls_bridge_is_full(conn->bridge);
    if (full || !transfer->left) {
        cs_transfer_drop_buffer(transfer);
        return full ? CS_NEEDS_ROOM : CS_DOWNLOADED;
    }
    if (!cs_transfer_make_buffer(transfer) || !cs_transfer_read(transfer))
        return CS_DOWNLOAD_BROKE;
    cs_budget_raise_largest(conn, cs_exchange_count_held(conn));
    return CS_READS_FILE;
}
