package io.understudy.command;

import org.jspecify.annotations.Nullable;

/**
 * Commands whose answers are due, oldest first: a ring of reused {@link Exchange}s that begins with one and grows to what
 * the client pipelines.
 */
public final class InFlight {
    /** A client this far ahead is not read from until answers have come. */
    static final int LIMIT = 1024;

    private final StatementBytes statement;
    private @Nullable Exchange[] ring = new Exchange[1];
    private int head;
    private int size;

    InFlight(StatementBytes statement) {
        this.statement = statement;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public int size() {
        return size;
    }

    /** True when the client should be made to wait. */
    public boolean isFull() {
        return size >= LIMIT;
    }

    public @Nullable Exchange head() {
        return size == 0 ? null : ring[head];
    }

    /** Number of injected statements ahead of the oldest command of the client's. */
    public int injectedAhead() {
        int count = 0;
        while (count < size) {
            Exchange exchange = ring[(head + count) % ring.length];
            if (exchange == null || exchange.injected() == null) {
                break;
            }
            count++;
        }
        return count;
    }

    public @Nullable Exchange last() {
        return size == 0 ? null : ring[(head + size - 1) % ring.length];
    }

    /** Adds an exchange at the end, to be filled in by the caller. */
    Exchange add() {
        if (size == ring.length) {
            grow();
        }
        int at = (head + size) % ring.length;
        Exchange exchange = ring[at];
        if (exchange == null) {
            exchange = new Exchange(statement);
            ring[at] = exchange;
        }
        size++;
        return exchange;
    }

    /** Adds an exchange just before the last one: a statement of ours ahead of the client's. */
    public Exchange addBeforeLast() {
        Exchange added = add();
        int at = (head + size - 1) % ring.length;
        int before = (head + size - 2) % ring.length;
        ring[at] = ring[before];
        ring[before] = added;
        return added;
    }

    private void grow() {
        @Nullable Exchange[] larger = new Exchange[ring.length * 4];
        for (int i = 0; i < size; i++) {
            larger[i] = ring[(head + i) % ring.length];
        }
        ring = larger;
        head = 0;
    }

    /** Removes the oldest. */
    void remove() {
        Exchange done = ring[head];
        if (done != null) {
            done.clear();
        }
        head = (head + 1) % ring.length;
        size--;
        if (size == 0 && ring.length > LIMIT) {
            ring = new Exchange[1]; // what one burst needed is not kept for the session's life
            head = 0;
        }
    }
}
