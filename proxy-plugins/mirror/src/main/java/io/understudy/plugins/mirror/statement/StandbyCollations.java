package io.understudy.plugins.mirror.statement;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import javax.sql.DataSource;

/**
 * A standby's collations, read once. The query blocks, for long if the standby hangs, so it runs in a thread of its own
 * that delays no other work. Thread-safe.
 */
public final class StandbyCollations {
    /** Reads the collations; blocks. */
    @FunctionalInterface
    public interface Query {
        CollationNames run() throws SQLException;
    }

    private final Executor executor;
    private final Query query;
    private CompletableFuture<CollationNames> names =
            CompletableFuture.failedFuture(new IllegalStateException("not read yet"));

    public StandbyCollations(Executor executor, Query query) {
        this.executor = executor;
        this.query = query;
    }

    /** Returns the collations of a standby, read by a thread that ends with the query. */
    public static StandbyCollations of(String standby, DataSource server) {
        ThreadFactory threads = new DefaultThreadFactory("mirror-collations-" + standby, true);
        return new StandbyCollations(task -> threads.newThread(task).start(), () -> CollationNames.of(server));
    }

    /**
     * Returns the names as soon as they are known. The future fails if the query fails; the next call then repeats the
     * query.
     */
    public synchronized CompletableFuture<CollationNames> names() {
        if (!names.isCompletedExceptionally()) {
            return names;
        }
        CompletableFuture<CollationNames> response = new CompletableFuture<>();
        names = response;
        try {
            executor.execute(() -> query(response));
        } catch (RuntimeException | Error e) {
            response.completeExceptionally(e); // no thread: a future that never completes would stand in the way
        }
        return response;
    }

    private void query(CompletableFuture<CollationNames> response) {
        try {
            response.complete(query.run());
        } catch (SQLException | RuntimeException | Error e) {
            response.completeExceptionally(e);
        }
    }
}
