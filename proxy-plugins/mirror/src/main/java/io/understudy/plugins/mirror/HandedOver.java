package io.understudy.plugins.mirror;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The statements that other connections handed over to one connection, because it has their schema. Thread-safe. */
final class HandedOver {
    private final Queue<MirroredStatement> statements = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();

    void add(MirroredStatement statement) {
        statements.add(statement);
        count.incrementAndGet();
    }

    /** Takes the oldest statement; returns null if there is none. */
    @Nullable
    MirroredStatement poll() {
        MirroredStatement statement = statements.poll();
        if (statement != null) {
            count.decrementAndGet();
        }
        return statement;
    }

    /** Returns the number of statements, without walking the queue. */
    int size() {
        return count.get();
    }
}
