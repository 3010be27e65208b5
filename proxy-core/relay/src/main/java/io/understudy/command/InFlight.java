package io.understudy.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Commands whose responses are due, oldest first: a ring of reused {@link Exchange}s that starts with one and grows
 * with the client's pipelining, as far as the {@link PipelineBudget} of all sessions lets it.
 */
public final class InFlight {
    /** With so many responses due, no further command is taken until some have arrived. */
    static final int LIMIT = 1024;
    /** The most responses that may be due in a session without room in the budget. */
    static final int FREE = 16;

    private final StatementBytes statement;
    private final CommitDomain commitDomain;
    private final PipelineBudget budget;
    private @Nullable Exchange[] ring = new Exchange[1];
    private int head;
    private int size;
    /** The most responses that may be due now; what exceeds {@link #FREE} was taken from the budget. */
    private int permits = FREE;

    InFlight(StatementBytes statement, CommitDomain commitDomain, PipelineBudget budget) {
        this.statement = statement;
        this.commitDomain = commitDomain;
        this.budget = budget;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public int size() {
        return size;
    }

    /** Returns whether no further command may be taken from the client until responses have arrived. */
    public boolean isFull() {
        return size >= permits && !mayGrow();
    }

    private boolean mayGrow() {
        if (permits >= LIMIT || !budget.take(3 * permits)) {
            return false;
        }
        permits *= 4;
        return true;
    }

    /**
     * Returns the oldest exchange, or null if no response is due. Any thread may call this: another one's result may be
     * out of date, or null while the ring is being replaced.
     */
    public @Nullable Exchange head() {
        @Nullable Exchange[] all = ring;
        int oldest = head;
        return size == 0 || oldest >= all.length ? null : all[oldest];
    }

    /** Returns where the exchange is that many places behind the oldest. The ring's length is a power of two. */
    private int slot(int place) {
        return head + place & ring.length - 1;
    }

    /** Returns the number of injected statements ahead of the client's oldest command. */
    public int injectedAhead() {
        int count = 0;
        while (count < size) {
            Exchange exchange = ring[slot(count)];
            if (exchange == null || exchange.injected() == null) {
                break;
            }
            count++;
        }
        return count;
    }

    public @Nullable Exchange last() {
        return size == 0 ? null : ring[slot(size - 1)];
    }

    /** Returns all exchanges, oldest first. */
    List<Exchange> all() {
        List<Exchange> all = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            all.add(Objects.requireNonNull(ring[slot(i)]));
        }
        return all;
    }

    /** Removes injected statements ahead of the client's oldest command: no response to them will come. */
    public void removeInjected() {
        for (int left = injectedAhead(); left > 0; left--) {
            remove();
        }
    }

    /** Adds an exchange at the end. The caller fills it in. */
    Exchange add() {
        if (size == ring.length) {
            grow();
        }
        int at = slot(size);
        Exchange exchange = ring[at];
        if (exchange == null) {
            exchange = new Exchange(statement, commitDomain);
            ring[at] = exchange;
        }
        size++;
        return exchange;
    }

    /** Adds an exchange before the last one: an injected statement ahead of the client's. */
    public Exchange addBeforeLast() {
        Exchange added = add();
        int at = slot(size - 1);
        int before = slot(size - 2);
        ring[at] = ring[before];
        ring[before] = added;
        return added;
    }

    private void grow() {
        @Nullable Exchange[] larger = new Exchange[ring.length * 4];
        for (int i = 0; i < size; i++) {
            larger[i] = ring[slot(i)];
        }
        ring = larger;
        head = 0;
    }

    /** Ends the watches on rows that an observer began. */
    public void unwatchRows(int observer) {
        for (int i = 0; i < size; i++) {
            Exchange exchange = ring[slot(i)];
            if (exchange != null) {
                exchange.unwatchRows(observer);
            }
        }
    }

    /** Removes the oldest exchange. */
    void remove() {
        Exchange done = ring[head];
        if (done != null) {
            done.clear();
        }
        head = slot(1);
        size--;
        if (size == 0 && permits > FREE) {
            ring = new Exchange[1]; // the size that one burst needed is not kept for the session's life
            head = 0;
            givePermits();
        }
    }

    /**
     * Gives back what was taken from the budget. Must be called when the session takes no more commands. Idempotent.
     */
    public void givePermits() {
        budget.give(permits - FREE);
        permits = FREE;
    }
}
