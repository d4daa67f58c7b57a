import ChatWire
import RoomStore
import Synchronization
import WebSocketTransport

extension ChatServer {
    /// All metrics in Prometheus' format.
    var metricsText: String {
        var text = PrometheusText()
        let now = transport.statistics
        connections(&text, now)
        memory(&text, now)
        delivery(&text, now)
        commands(&text)
        limits(&text, now)
        storage(&text)
        lists(&text)
        webhook(&text)
        text.gauge("diffroom_draining", "1 while the server ends.", isDraining.load(ordering: .relaxed) ? 1 : 0)
        text.gauges("diffroom_build_info", "1, with the version.", by: "version", [(diffroomVersion, 1)])
        ProcessStatistics.now.map { text.process($0) }
        return text.text
    }

    private func connections(_ text: inout PrometheusText, _ now: TransportStatistics) {
        text.gauge("diffroom_connections", "Open WebSockets.", sessions.count)
        text.counter(
            "diffroom_connections_accepted_total", "Connections accepted, for WebSockets and plain HTTP.", now.accepted)
        text.counters(
            "diffroom_connections_closed_total", "WebSockets closed, by the code of the side that closed first.",
            by: "code",
            metrics.closes)
        text.counters(
            "diffroom_connections_refused_total", "Connections refused, by reason.", by: "why",
            TransportStatistics.Refusal.allCases.map { ($0.rawValue, UInt64(now.refused[$0] ?? 0)) })
        text.gauge("diffroom_connections_stalled", "Connections whose socket accepts no more bytes.", now.stalledNow)
        text.counter("diffroom_http_requests_total", "Plain HTTP requests.", now.requests)
        text.counter("diffroom_received_frames_total", "Messages received.", now.framesIn)
        text.counter("diffroom_received_bytes_total", "Bytes of messages received.", now.bytesIn)
        text.counter("diffroom_sent_bytes_total", "Bytes written to WebSockets.", now.bytesOut)
        text.counter("diffroom_writes_total", "Writes to WebSockets.", now.writes)
        text.gauge(
            "diffroom_unsent_bytes", "Bytes of answers not yet written.", now.privateBytesNow + now.cutBytesNow)
        text.gauge("diffroom_partial_bytes", "Bytes of messages not yet received as a whole.", now.partialBytesNow)
    }

    private func memory(_ text: inout PrometheusText, _ now: TransportStatistics) {
        text.gauge(
            "diffroom_memory_budget_bytes", "The budget in bytes for data that waits for clients; 0 for no limit.",
            configuration.transport.memoryBudget)
        let kinds = [
            ("answers", now.privateBytesNow + now.cutBytesNow), ("http", now.answerBytesNow),
            ("logs", now.logBytesNow), ("partial", now.partialBytesNow), ("caches", now.heldNow),
            ("commands", now.queuedBytesNow),
        ]
        text.gauges(
            "diffroom_memory_bytes", "Bytes that count against the budget, by kind.", by: "kind",
            kinds.map { ($0, UInt64(clamping: $1)) })
    }

    private func delivery(_ text: inout PrometheusText, _ now: TransportStatistics) {
        text.counter("diffroom_deliveries_total", "Diffs times the readers they were written to.", now.deliveries)
        text.histogram(
            "diffroom_delivery_lag_seconds",
            "From a commit until its diff was written to the readers of one room on one event loop that could take it.",
            TransportStatistics.lagBounds, Histogram.Reading(counts: now.lag.map { UInt64($0) }, sum: now.lagSum))
        text.gauge("diffroom_readers", "Connections that follow a list, once for each list.", metrics.readers.now)
        text.gauge("diffroom_readers_behind", "Readers that fell off a log and have not come back.", now.behindNow)
        text.counter("diffroom_readers_fell_behind_total", "Times a reader fell off a log.", now.behind)
        text.histogram(
            "diffroom_catch_up_duration_seconds",
            "From the report that a reader fell off a log until its diff is with its event loop.",
            metrics.catchUpDuration)
        text.gauge("diffroom_log_bytes", "Bytes held in outgoing logs.", now.logBytesNow)
        text.gauge("diffroom_logs", "Outgoing logs: one for each list and event loop with readers.", now.topicsNow)
        text.gauge("diffroom_loops", "Event loops.", transport.loopCount)
        text.gauge("diffroom_loop_queue", "Commands that wait for their event loop.", now.queuedNow)
        text.gauge(
            "diffroom_loop_silence_seconds", "The time since the last turn of the event loop that is furthest behind.",
            now.silence)
    }

    private func commands(_ text: inout PrometheusText) {
        text.counters("diffroom_commands_total", "Frames understood, by type.", by: "command", metrics.commands)
        text.counters("diffroom_errors_total", "Commands answered with an error, by code.", by: "code", metrics.errors)
    }

    private func limits(_ text: inout PrometheusText, _ now: TransportStatistics) {
        let closes = metrics.closes
        let refused = { (why: TransportStatistics.Refusal) in UInt64(now.refused[why] ?? 0) }
        text.counters(
            "diffroom_limits_hit_total", "Times that a limit held a user back, by limit.", by: "limit",
            [
                ("commit_queue", metrics.commitsRefused.total),
                ("connections", refused(.full)), ("connections_per_address", refused(.address)),
                ("handshake_rate", refused(.rate)), ("memory_budget", UInt64(now.shed)),
                ("frame_bytes", metrics.framesPassedOver.total + closes["\(CloseCode.tooLarge)"]),
                ("flood", closes["\(CloseCode.flooding)"]),
                ("hello_time", closes["\(CloseCode.helloTimeout)"]),
                ("silence", closes["\(CloseCode.silent)"]),
                ("size", metrics.errors[WireError.Code.tooLarge.rawValue]),
                ("stall", closes["\(CloseCode.stalled)"]),
            ] + quotas.hits.all)
    }

    private func storage(_ text: inout PrometheusText) {
        text.counters(
            "diffroom_operations_total", "Operations that reached the store, by outcome.", by: "outcome",
            metrics.operations)
        text.histogram(
            "diffroom_commit_duration_seconds", "A transaction, its disk included.", metrics.commitDuration)
        text.histogram("diffroom_commit_operations", "Operations in a transaction.", metrics.commitSize)
        text.counter("diffroom_store_errors_total", "Times the store failed.", metrics.storeErrors.total)
        text.counter(
            "diffroom_store_faults_total", "Faults that were found in damaged rooms of the file.", store.faults)
        text.gauge(
            "diffroom_store_writable", "1 while every part of the store accepts writes, as far as the server knows.",
            store.troubles.isEmpty ? 1 : 0)
        let use = store.diskUse
        text.gauge("diffroom_store_log_bytes", "The size of the log beside the rooms' file.", ifAny: use?.logBytes)
        text.gauge(
            "diffroom_store_free_bytes", "The free space of the disk with the rooms' file.", ifAny: use?.freeBytes)
        text.gauge(
            "diffroom_clock_offset_seconds", "By how much this server's clock is ahead of the database's.",
            store.clockOffset / .seconds(1))
        text.counter("diffroom_rows_trimmed_total", "Messages that retention removed.", metrics.rowsTrimmed.total)
        text.counter(
            "diffroom_bytes_freed_total", "Bytes of the rooms' file that were given back to the disk.",
            metrics.bytesFreed.total)
        text.histogram(
            "diffroom_trim_duration_seconds", "A step of trimming; commits wait for it at most as long.",
            metrics.trimDuration)
        text.counter(
            "diffroom_divergences_total", "Times a room differed from another server's.", metrics.divergences.total)
    }

    private func webhook(_ text: inout PrometheusText) {
        let backlogs = dispatchers.map(\.backlog)
        text.counters(
            "diffroom_webhook_posts_total", "Posts to the webhook, by outcome.", by: "outcome",
            webhookMetrics.posts)
        text.counter(
            "diffroom_webhook_operations_total", "Operations that the webhook has accepted.",
            webhookMetrics.operations.total)
        text.gauge(
            "diffroom_webhook_rooms_behind", "Rooms with operations that the webhook has not accepted yet.",
            backlogs.reduce(0) { $0 + $1.rooms })
        text.gauge(
            "diffroom_webhook_lag_seconds", "The longest time for which a room has waited.",
            backlogs.map(\.seconds).max() ?? 0)
    }

    private func lists(_ text: inout PrometheusText) {
        text.gauge("diffroom_rooms", "Rooms in memory.", metrics.rooms.now)
        text.counter("diffroom_diffs_total", "Diffs of messages published.", metrics.diffs.total)
        text.counter("diffroom_diff_rows_total", "Rows named in these diffs.", metrics.diffRows.total)
        text.counter(
            "diffroom_revisions_coalesced_total", "Revisions that shared another's diff.",
            metrics.revisionsCoalesced.total)
        text.counters(
            "diffroom_resumes_total", "Readers that resumed, by the answer.", by: "answer",
            metrics.resumes)
        text.counters("diffroom_snapshots_total", "Snapshots of messages, by reason.", by: "reason", metrics.snapshots)
        text.gauge("diffroom_people_online", "Online members, once for each room.", metrics.peopleOnline.now)
        text.counter("diffroom_member_diffs_total", "Diffs of members published.", metrics.memberDiffs.total)
        text.gauge(
            "diffroom_inboxes", "Lists of people's rooms that are kept up to date, also for a while without readers.",
            metrics.inboxes.now)
        text.counter("diffroom_inbox_diffs_total", "Diffs of people's rooms published.", metrics.inboxDiffs.total)
        text.counter(
            "diffroom_membership_reads_total", "Queries to the store about memberships.",
            metrics.membershipReads.total)
        text.counter("diffroom_read_marks_total", "Read marks that were written to the store.", metrics.marks.total)
    }
}
