package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One subscriber of the shared stream. An exception of its listener stays here: the subscriber is excluded until the
 * stream begins anew, while the stream and the other subscribers continue. {@link #close} is thread-safe; the rest is
 * used by {@link BinlogFeed}.
 */
public final class BinlogSubscription implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(BinlogSubscription.class);

    /** The subscription of a plugin that reads nothing. */
    public static final BinlogSubscription NONE =
            new BinlogSubscription(leaving -> {}, new BinlogNeeds("nobody", false, 0, () -> 0), transaction -> {});

    private final Consumer<BinlogSubscription> leave;
    private final BinlogNeeds needs;
    private final BinlogListener listener;
    // Guarded by the feed's lock.
    private boolean informed;
    private boolean reading;

    /** @param leave called by {@link #close} */
    BinlogSubscription(Consumer<BinlogSubscription> leave, BinlogNeeds needs, BinlogListener listener) {
        this.leave = leave;
        this.needs = needs;
        this.listener = listener;
    }

    BinlogNeeds needs() {
        return needs;
    }

    /** Returns whether the listener was called about the stream's state, by onStart or onGap. */
    boolean informed() {
        return informed;
    }

    /** Returns whether the listener receives transactions. */
    boolean reading() {
        return reading;
    }

    /** Returns whether the subscriber needs the events' bytes. */
    boolean wantsEvents() {
        return needs.events() != null;
    }

    /** Called without the feed's lock, as the next two. Returns false if the subscriber has failed. */
    boolean format(byte[] event) {
        BinlogEvents to = needs.events();
        return to == null || succeeds("onFormat", () -> to.onFormat(event));
    }

    boolean event(ByteBuf buf, int index, int length, boolean first, boolean whole) {
        BinlogEvents to = needs.events();
        return to == null || succeeds("onEvent", () -> to.onEvent(buf, index, length, first, whole));
    }

    boolean transaction(BinlogTransaction transaction) {
        return succeeds("onTransaction", () -> listener.onTransaction(transaction));
    }

    private boolean succeeds(String where, Runnable call) {
        try {
            call.run();
            return true;
        } catch (Throwable fault) {
            failed(where, fault);
            return false;
        }
    }

    /** See {@link BinlogListener#isAnew}. Called without the feed's lock. */
    boolean isAnew(PrimaryFacts facts) {
        try {
            return listener.isAnew(facts);
        } catch (Throwable fault) {
            failed("isAnew", fault);
            return false;
        }
    }

    void start(PrimaryFacts facts) {
        informed = true;
        reading = succeeds("onStart", () -> listener.onStart(facts));
        if (!reading) {
            exclude();
        }
    }

    /** Excludes the subscriber after it has failed and reports the gap to its listener, so that its plugin shows it. */
    void exclude() {
        gap(new BinlogTrouble(
                BinlogTrouble.Reason.FAULT,
                needs.subscriber() + " itself failed and receives nothing more of this stream",
                BinlogErrors.remedy(BinlogTrouble.Reason.FAULT, "")));
    }

    void gap(BinlogTrouble trouble) {
        informed = true;
        reading = false;
        try {
            listener.onGap(trouble);
        } catch (Throwable fault) {
            log.error("{} failed in onGap of the binary log's feed", needs.subscriber(), fault);
        }
    }

    /** Called without the feed's lock. Returns a negative number if the subscriber has failed. */
    long rest() {
        try {
            return Math.max(0, needs.restNanos().getAsLong());
        } catch (Throwable fault) {
            failed("restNanos", fault);
            return -1;
        }
    }

    private void failed(String where, Throwable fault) {
        log.error(
                "{} failed in {} of the binary log's feed and is excluded until the stream begins anew; the stream"
                        + " continues",
                needs.subscriber(),
                where,
                fault);
    }

    /**
     * Leaves the stream, which ends with its last subscriber. The listener receives no more begins and gaps, but may
     * still receive a transaction that is being passed on.
     */
    @Override
    public void close() {
        leave.accept(this);
    }
}
