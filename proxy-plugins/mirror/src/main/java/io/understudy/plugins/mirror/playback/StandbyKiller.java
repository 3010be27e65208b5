package io.understudy.plugins.mirror.playback;

import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerConnector;
import io.understudy.plugin.ServerResponse;
import io.understudy.plugins.mirror.statement.Commands;
import io.understudy.protocol.CommandCode;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kills statements on the standby: a server continues a statement whose client has closed the connection. Uses a
 * connection of its own, opened when there is a statement to kill; an account may always kill its own threads.
 * Thread-safe.
 */
final class StandbyKiller {
    private static final Logger log = LoggerFactory.getLogger(StandbyKiller.class);
    private static final int SHOWN = 3;
    /** For the responses: of a standby that hangs the same is wanted again and again, each time by a new connection. */
    private static final int MOST_SECONDS = 5;

    private final String standby;
    private final ServerConnector connector;
    /** In the order of the first request: while no connection can be made the same is wanted again and again. */
    private Set<String> wanted = new LinkedHashSet<>();

    private boolean connecting;

    StandbyKiller(String standby, ServerConnector connector) {
        this.standby = standby;
        this.connector = connector;
    }

    /** Kills the statement but not its connection. */
    void killQuery(long threadId) {
        kill("KILL QUERY " + threadId);
    }

    void killConnection(long threadId) {
        kill("KILL CONNECTION " + threadId);
    }

    private void kill(String sql) {
        synchronized (this) {
            wanted.add(sql);
            if (connecting) {
                return;
            }
            connecting = true;
        }
        connect().whenComplete((connected, failure) -> {
            List<String> now = take();
            if (connected == null) {
                log.warn(
                        "standby {}: {} was not sent, because no connection could be made: {}",
                        standby,
                        shown(now),
                        failure == null ? "no reason given" : failure.getMessage());
                return;
            }
            try {
                connected.loop().schedule(connected::close, MOST_SECONDS, TimeUnit.SECONDS);
                send(connected, now);
            } catch (RuntimeException | Error fault) { // which the stage would swallow
                log.error("standby {}: {} failed unexpectedly", standby, shown(now), fault);
                connected.close();
            }
        });
    }

    /** Connects; an exception, after which nothing would ever be killed again, is a failed attempt like others. */
    private CompletionStage<ServerConnection> connect() {
        try {
            return connector.connect();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static String shown(List<String> all) {
        return String.join(", ", all.subList(0, Math.min(SHOWN, all.size())))
                + (all.size() > SHOWN ? " and " + (all.size() - SHOWN) + " more" : "");
    }

    private synchronized List<String> take() {
        List<String> now = List.copyOf(wanted);
        wanted = new LinkedHashSet<>();
        connecting = false;
        return now;
    }

    private void send(ServerConnection connection, List<String> all) {
        for (int i = 0; i < all.size(); i++) {
            String sql = all.get(i);
            boolean last = i == all.size() - 1;
            connection.execute(Commands.text(connection.alloc(), CommandCode.QUERY, sql), new ServerResponse() {
                @Override
                public void onResponse(ResponseView response, int preparedId) {
                    // 1094, ER_NO_SUCH_THREAD: it has ended meanwhile.
                    if (!response.ok() && response.errorCode() != 1094) {
                        log.warn("standby {}: {} failed with error {}", standby, sql, response.errorCode());
                    }
                    if (last) {
                        connection.close();
                    }
                }

                @Override
                public void onFailure(String reason) {
                    log.warn("standby {}: {} had no response: {}", standby, sql, reason);
                }
            });
        }
    }
}
