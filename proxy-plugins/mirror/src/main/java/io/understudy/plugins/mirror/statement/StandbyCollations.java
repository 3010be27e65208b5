package io.understudy.plugins.mirror.statement;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import javax.sql.DataSource;

/**
 * A standby's collations by id, as {@code NAMES x COLLATE y}: logins carry only the id. They are read when they are
 * first needed, and after each time without the standby: it may have come back as another version. The query blocks,
 * for long if the standby hangs, so it runs in a thread of its own that delays no other work. Thread-safe.
 */
public final class StandbyCollations {
    private final Executor executor;
    private final Callable<Map<Integer, String>> query;
    private CompletableFuture<Map<Integer, String>> names = unread();

    /** @param query reads the collations; blocks */
    public StandbyCollations(Executor executor, Callable<Map<Integer, String>> query) {
        this.executor = executor;
        this.query = query;
    }

    /** Returns the collations of a standby, read by a thread that ends with the query. */
    public static StandbyCollations of(String standby, DataSource server) {
        ThreadFactory threads = new DefaultThreadFactory("mirror-collations-" + standby, true);
        return new StandbyCollations(task -> threads.newThread(task).start(), () -> read(server));
    }

    private static CompletableFuture<Map<Integer, String>> unread() {
        return CompletableFuture.failedFuture(new IllegalStateException("not read yet"));
    }

    /** Has them read again. */
    public synchronized void forget() {
        if (names.isDone()) {
            names = unread();
        }
    }

    private static Map<Integer, String> read(DataSource server) throws SQLException {
        Map<Integer, String> names = new HashMap<>();
        try (ServerQueries queries = ServerQueries.of(server)) {
            queries.each(
                    "SELECT ID, CHARACTER_SET_NAME, COLLATION_NAME FROM information_schema.COLLATIONS"
                            + " WHERE ID IS NOT NULL AND CHARACTER_SET_NAME IS NOT NULL",
                    row -> names.put(row.getInt(1), "NAMES " + row.getString(2) + " COLLATE " + row.getString(3)));
        }
        return Map.copyOf(names);
    }

    /**
     * Returns the names as soon as they are known. The future fails if the query fails; the next call then repeats the
     * query.
     */
    public synchronized CompletableFuture<Map<Integer, String>> names() {
        if (names.isCompletedExceptionally()) {
            CompletableFuture<Map<Integer, String>> response = new CompletableFuture<>();
            names = response;
            try {
                executor.execute(() -> query(response));
            } catch (RuntimeException | Error e) {
                response.completeExceptionally(e); // no thread: a future that never completes would stand in the way
            }
        }
        return names;
    }

    private void query(CompletableFuture<Map<Integer, String>> response) {
        try {
            response.complete(query.call());
        } catch (Exception | Error e) {
            response.completeExceptionally(e);
        }
    }
}
