import ChatWire
import Synchronization
import WebSocketTransport

extension ChatServer {
    /// Everything that is counted, for Prometheus.
    var metricsText: String {
        var text = PrometheusText()
        connections(&text)
        rooms(&text)
        readers(&text)
        text.gauge("diffroom_draining", "1 while the server ends.", isDraining.load(ordering: .relaxed) ? 1 : 0)
        text.counters("diffroom_build_info", "The version.", by: "version", [(diffroomVersion, 1)])
        return text.text
    }

    private func connections(_ text: inout PrometheusText) {
        let now = transport.statistics
        text.gauge("diffroom_connections", "Open WebSockets.", now.openNow)
        text.counter("diffroom_connections_accepted_total", "WebSockets opened.", now.accepted)
        text.counters(
            "diffroom_connections_closed_total", "WebSockets closed, by why.", by: "why",
            now.closed.map { ($0.key.rawValue, UInt64($0.value)) })
        text.counters(
            "diffroom_handshake_rejected_total", "Connections refused, by why.", by: "why",
            now.refused.map { ($0.key.rawValue, UInt64($0.value)) })
        text.counter("diffroom_http_requests_total", "Plain HTTP requests.", now.requests)
        text.counter("diffroom_frames_received_total", "Messages received.", now.framesIn)
        text.counter("diffroom_received_bytes_total", "Bytes of messages received.", now.bytesIn)
        text.counter("diffroom_sent_bytes_total", "Bytes written to WebSockets.", now.bytesOut)
        text.counter("diffroom_writes_total", "Writes to WebSockets.", now.writes)
        text.gauge("diffroom_connections_stalled", "Connections whose socket takes no more.", now.stalledNow)
        text.gauge("diffroom_send_buffered_bytes", "Bytes of answers not yet written.", now.privateBytesNow)
        text.gauge("diffroom_log_bytes", "Bytes held in outgoing logs.", now.logBytesNow)
        text.gauge("diffroom_topics", "Outgoing logs.", now.topicsNow)
        text.counter("diffroom_deliveries_total", "Diffs times the readers they were written to.", now.deliveries)
        text.counter("diffroom_readers_behind_total", "Times a reader fell off a log.", now.behind)
    }

    private func rooms(_ text: inout PrometheusText) {
        text.gauge("diffroom_rooms_hot", "Rooms in memory.", shards.reduce(0) { $0 + $1.roomCount })
        text.counter("diffroom_commands_total", "Frames understood.", metrics.commands.total)
        text.counter("diffroom_bad_frames_total", "Frames not understood.", metrics.badFrames.total)
        text.counter("diffroom_hello_timeouts_total", "Connections that said no hello.", metrics.helloTimeouts.total)
        text.counter("diffroom_operations_committed_total", "Operations made durable.", metrics.committed.total)
        text.counter("diffroom_operations_repeated_total", "Commands that had been done.", metrics.repeated.total)
        text.counter("diffroom_operations_refused_total", "Commands refused by a room.", metrics.refused.total)
        text.counter("diffroom_store_errors_total", "Times the store failed.", metrics.storeErrors.total)
        text.histogram(
            "diffroom_commit_duration_seconds", "A transaction, its disk included.", metrics.commitDuration)
    }

    private func readers(_ text: inout PrometheusText) {
        text.counter("diffroom_diffs_total", "Diffs of messages published.", metrics.diffs.total)
        text.counter("diffroom_diff_rows_total", "Rows named in them.", metrics.diffRows.total)
        text.counter(
            "diffroom_revisions_coalesced_total", "Revisions that shared another's diff.",
            metrics.revisionsCoalesced.total)
        text.counter("diffroom_joins_total", "Readers that came new.", metrics.joins.total)
        text.counters(
            "diffroom_resume_total", "Readers that came back, by what brought them up to date.", by: "result",
            [("diff", metrics.resumesByDiff.total), ("snapshot", metrics.resumesBySnapshot.total)])
        text.counter("diffroom_catch_ups_total", "Slow readers brought back.", metrics.catchUps.total)
        text.gauge("diffroom_people_online", "People who are there, once for each room.", metrics.peopleOnline.now)
        text.counter("diffroom_member_diffs_total", "Diffs of members published.", metrics.memberDiffs.total)
    }
}
