package io.understudy.plugins.mirror.playback;

import io.understudy.plugin.Standby;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kills statements on the standby: a server continues a statement whose client has closed the connection. An account
 * may always kill its own threads. Thread-safe.
 */
final class StandbyKiller {
    private static final Logger log = LoggerFactory.getLogger(StandbyKiller.class);
    private static final int SHOWN = 3;
    private static final int ER_NO_SUCH_THREAD = 1094;

    private final Standby standby;
    private final Executor queries;
    /** In the order of the first request: while no connection can be had the same is wanted again and again. */
    private Set<String> wanted = new LinkedHashSet<>();

    /** @param queries executes what waits for the standby */
    StandbyKiller(Standby standby, Executor queries) {
        this.standby = standby;
        this.queries = queries;
    }

    /** Kills the statement but not its connection. */
    void killQuery(long threadId) {
        kill("KILL QUERY " + threadId);
    }

    void killConnection(long threadId) {
        kill("KILL CONNECTION " + threadId);
    }

    private synchronized void kill(String sql) {
        if (wanted.isEmpty()) {
            queries.execute(this::send);
        }
        wanted.add(sql);
    }

    private synchronized Set<String> take() {
        Set<String> now = wanted;
        wanted = new LinkedHashSet<>();
        return now;
    }

    private void send() {
        Set<String> now = take();
        try (ServerQueries server = ServerQueries.of(standby.dataSource())) {
            for (String sql : now) {
                send(server, sql);
            }
        } catch (SQLException | RuntimeException e) {
            log.warn(
                    "standby {}: {}{} was not sent, because no connection could be made: {}",
                    standby.name(),
                    now.stream().limit(SHOWN).collect(Collectors.joining(", ")),
                    now.size() > SHOWN ? " and " + (now.size() - SHOWN) + " more" : "",
                    e.getMessage());
        }
    }

    private void send(ServerQueries server, String sql) {
        try {
            server.execute(sql);
        } catch (SQLException e) {
            if (e.getErrorCode() != ER_NO_SUCH_THREAD) { // it has ended meanwhile
                log.warn("standby {}: {} failed: {}", standby.name(), sql, e.getMessage());
            }
        }
    }
}
