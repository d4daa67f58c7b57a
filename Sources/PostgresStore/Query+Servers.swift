/// The statements that keep one history and one format over several servers, and notify them of each other.
extension Query {
    static let following: [Query] = [.counts, .renewLease, .keepLease, .formats, .forgetServers, .raiseFormat]
    static let heartbeat: [Query] = [.heads, .line, .witness, .silent, .endBackend, .endStalled]

    /// Tells whether a commit waits for a standby, and whether the database's pages have checksums.
    static let protection = Query(
        "protection",
        """
        SELECT current_setting('synchronous_standby_names') <> ''
            AND current_setting('synchronous_commit') NOT IN ('off', 'local'),
            current_setting('data_checksums') = 'on'
        """)
    /// Returns a row if a backend still exists.
    static let backend = Query(
        "backend",
        """
        SELECT pid FROM pg_stat_activity
        WHERE pid = $1::bigint AND (extract(epoch FROM backend_start) * 1000000)::bigint = $2::bigint
        """)
    /// Returns a row if a backend still exists, and ends it unless it is in its commit.
    static let endBackend = Query(
        "endBackend",
        """
        SELECT CASE WHEN query = 'COMMIT' AND state = 'active' THEN false ELSE pg_terminate_backend(pid) END
        FROM pg_stat_activity
        WHERE pid = $1::bigint AND (extract(epoch FROM backend_start) * 1000000)::bigint = $2::bigint
        """)
    /// Ends the backends of servers that sent half of a round trip two seconds ago and that another one waits for. The
    /// timeout of idle transactions does not run for them, because the database waits for their next statement.
    static let endStalled = Query(
        "endStalled",
        """
        SELECT pg_terminate_backend(holder.pid)
        FROM pg_stat_activity AS waiting, unnest(pg_blocking_pids(waiting.pid)) AS blocking(pid),
            pg_stat_activity AS holder
        WHERE waiting.wait_event_type = 'Lock' AND holder.pid = blocking.pid
            AND holder.datname = current_database() AND holder.usename = current_user
            AND holder.application_name = current_setting('application_name')
            AND holder.state = 'active' AND holder.wait_event = 'ClientRead'
            AND holder.state_change < clock_timestamp() - interval '2 seconds'
        """)
    /// Notes that this copy of the database continues the history. A cluster with another number was made from a dump,
    /// which is a history of its own.
    static let goOn = Query(
        "goOn",
        """
        UPDATE store SET since = clock_timestamp(), timeline = $2::bigint, system = $1::bigint,
            epoch = CASE WHEN system IN (0, $1::bigint) THEN epoch ELSE $3::text END,
            generation = generation + CASE WHEN system IN (0, $1::bigint) THEN 0 ELSE 1 END
        WHERE system <> $1::bigint OR timeline < $2::bigint
        """)
    /// Notes that this timeline has every commit that a server acknowledged.
    static let vouch = Query("vouch", "UPDATE servers SET timeline = $2::bigint WHERE id = $1::text")
    /// Counts the servers that should have noted that by now.
    static let silent = Query(
        "silent",
        """
        SELECT count(*) FROM servers, store
        WHERE servers.timeline < store.timeline AND clock_timestamp() > store.since + interval '10 seconds'
            AND servers.id <> $1::text
        """)
    static let beginEpoch = Query(
        "beginEpoch",
        """
        UPDATE store SET epoch = $1::text, generation = greatest(generation, $2::bigint) + 1
        """)
    static let forgetSilent = Query(
        "forgetSilent",
        "DELETE FROM servers USING store WHERE servers.timeline < store.timeline")
    /// Lowers the revisions up to which rooms were delivered, after a history was lost, so that the present state is
    /// delivered again.
    static let lowerDeliveries = Query(
        "lowerDeliveries",
        """
        UPDATE deliveries SET revision = rooms.revision FROM rooms
        WHERE deliveries.room = rooms.id AND deliveries.revision > rooms.revision
        """)
    static let raiseFence = Query("raiseFence", "UPDATE store SET fence = $1::bigint WHERE fence < $1::bigint")
    /// Forgets the servers that ended without saying so, on a copy of this timeline that has all that they acknowledged.
    static let forgetServers = Query(
        "forgetServers",
        """
        DELETE FROM servers USING store
        WHERE until < clock_timestamp() - interval '1 minute' AND store.timeline = $1::bigint
            AND coalesce(servers.timeline, store.timeline) >= store.timeline
        """)
    /// Forgets the counts of servers that are gone. A running server knows its own, also those of lanes that are idle.
    static let forgetWitnesses = Query(
        "forgetWitnesses",
        """
        DELETE FROM witnesses WHERE NOT EXISTS (
            SELECT FROM witnesses AS newer
            WHERE newer.server = witnesses.server AND newer.time >= clock_timestamp() - interval '7 days'
        )
        """)
    /// Counts the durable commits of the other servers. Those of a ``Heartbeat`` change nothing.
    static let counts = Query(
        "counts",
        "SELECT server, lane, count FROM witnesses WHERE server <> $1::text AND lane > \(Heartbeat.lane)")
    static let heads = Query("heads", "SELECT name, revision FROM rooms WHERE name = ANY($1::text[])")
    static let notify = Query("notify", "SELECT pg_notify($1::text, $2::text)")
    /// Renews a lease, and returns the database's time of day in microseconds since 1970.
    static let renewLease = Query(
        "renewLease",
        """
        INSERT INTO servers(id, knows, until, timeline)
        VALUES($1::text, $2::bigint, clock_timestamp() + $3::bigint * interval '1 millisecond', $4::bigint)
        ON CONFLICT (id) DO UPDATE SET until = excluded.until
        RETURNING (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
        """)
    /// It is read by its name, because a database of an earlier format has no such column.
    static let lead = "coalesce((to_jsonb(store) ->> 'lead')::bigint, 0)"
    static let formats = Query(
        "formats",
        """
        SELECT in_force, (SELECT min(knows) FROM servers WHERE until > clock_timestamp()),
            \(lead)
        FROM store
        """)
    /// Notes that the database's clock has jumped, unless another server has noted it.
    static let setLead = Query(
        "setLead",
        """
        UPDATE store SET lead = $2::bigint WHERE lead = $1::bigint
        """)
    static let raiseFormat = Query(
        "raiseFormat",
        """
        UPDATE store SET in_force = (SELECT min(knows) FROM servers WHERE until > clock_timestamp())
        WHERE in_force < (SELECT min(knows) FROM servers WHERE until > clock_timestamp())
        """)
    /// Takes or renews the lease on a task of one server at a time. It returns no row while another server has the
    /// lease.
    static let acquireLease = Query(
        "acquireLease",
        """
        INSERT INTO lessees AS lessee(task, server, until)
        VALUES($2::text, $1::text, clock_timestamp() + interval '10 seconds')
        ON CONFLICT (task) DO UPDATE SET server = excluded.server, until = excluded.until
        WHERE lessee.server = excluded.server OR lessee.until < clock_timestamp() RETURNING 1::bigint
        """)
    static let keepLease = Query(
        "keepLease",
        """
        UPDATE lessees SET until = clock_timestamp() + interval '10 seconds'
        WHERE server = $1::text AND until > clock_timestamp()
        """)
    static let endLease = Query("endLease", "DELETE FROM lessees WHERE task = $2::text AND server = $1::text")
}
