package io.understudy.plugins.mirror;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A standby's collations, asked for once. The question waits for the server, and a standby that hangs may make it wait for
 * long, so it has a thread of its own while it lasts and holds up nobody else's work. Any thread.
 */
final class StandbyCollations {
    /** Asks, and waits for the answer. */
    @FunctionalInterface
    interface Question {
        CollationNames ask() throws SQLException;
    }

    private final Executor executor;
    private final Question question;
    private @Nullable CompletableFuture<CollationNames> asked;

    StandbyCollations(Executor executor, Question question) {
        this.executor = executor;
        this.question = question;
    }

    /** Those of a standby, asked by a thread that lives as long as the question. */
    static StandbyCollations of(String standby, DataSource server) {
        ThreadFactory threads = new DefaultThreadFactory("mirror-collations-" + standby, true);
        return new StandbyCollations(task -> threads.newThread(task).start(), () -> CollationNames.of(server));
    }

    /** Nothing to ask. */
    static StandbyCollations known(CollationNames names) {
        return new StandbyCollations(Runnable::run, () -> names);
    }

    /** The names once they are known. Fails when the standby cannot be asked, and then asks again with the next call. */
    synchronized CompletableFuture<CollationNames> names() {
        CompletableFuture<CollationNames> known = asked;
        if (known != null && !known.isCompletedExceptionally()) {
            return known;
        }
        CompletableFuture<CollationNames> response = new CompletableFuture<>();
        asked = response;
        executor.execute(() -> ask(response));
        return response;
    }

    private void ask(CompletableFuture<CollationNames> response) {
        try {
            response.complete(question.ask());
        } catch (SQLException | RuntimeException e) {
            response.completeExceptionally(e);
        }
    }
}
