package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One subscriber's part in the shared stream. What its listener throws ends here: it is out until the stream begins anew, and the
 * stream and the other subscribers go on. {@link #close} by any thread; the rest is {@link BinlogFeed}'s.
 */
public final class BinlogSubscription implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(BinlogSubscription.class);

    private final BinlogFeed feed;
    private final BinlogNeeds needs;
    private final BinlogListener listener;
    // These two under the feed's lock.
    private boolean told;
    private boolean reading;

    BinlogSubscription(BinlogFeed feed, BinlogNeeds needs, BinlogListener listener) {
        this.feed = feed;
        this.needs = needs;
        this.listener = listener;
    }

    BinlogNeeds needs() {
        return needs;
    }

    /** It knows how the stream is. */
    boolean told() {
        return told;
    }

    /** It is told of transactions. */
    boolean reading() {
        return reading;
    }

    /** It is told of events' bytes. */
    boolean wantsEvents() {
        return needs.events() != null;
    }

    /** Not under the feed's lock. Returns false when the subscriber has failed. */
    boolean format(byte[] event) {
        BinlogEvents to = needs.events();
        try {
            if (to != null) {
                to.onFormat(event);
            }
            return true;
        } catch (Throwable fault) {
            failed("onFormat", fault);
            return false;
        }
    }

    /** Not under the feed's lock. Returns false when the subscriber has failed. */
    boolean event(ByteBuf buf, int index, int length, boolean first, boolean whole) {
        BinlogEvents to = needs.events();
        try {
            if (to != null) {
                to.onEvent(buf, index, length, first, whole);
            }
            return true;
        } catch (Throwable fault) {
            failed("onEvent", fault);
            return false;
        }
    }

    void start(PrimaryFacts facts, boolean replaced) {
        boolean first = !told;
        told = true;
        try {
            listener.onStart(facts, replaced && !first);
            reading = true;
        } catch (Throwable fault) {
            failed("onStart", fault);
            out();
        }
    }

    /** It has failed: what its listener shows of itself is to say so. */
    void out() {
        gap(new BinlogTrouble(
                BinlogTrouble.Reason.FAULT,
                needs.who() + " itself failed and is told no more of this stream; "
                        + BinlogErrors.remedy(BinlogTrouble.Reason.FAULT)));
    }

    void gap(BinlogTrouble trouble) {
        told = true;
        reading = false;
        try {
            listener.onGap(trouble);
        } catch (Throwable fault) {
            log.error("{} failed in onGap of the binary log's feed", needs.who(), fault);
        }
    }

    /** Not under the feed's lock. Returns false when the listener has failed. */
    boolean transaction(BinlogTransaction transaction) {
        try {
            listener.onTransaction(transaction);
            return true;
        } catch (Throwable fault) {
            failed("onTransaction", fault);
            return false;
        }
    }

    /** Not under the feed's lock. Returns a negative number when the subscriber has failed. */
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
                "{} failed in {} of the binary log's feed and is out until the stream begins anew; the stream goes on",
                needs.who(),
                where,
                fault);
    }

    /**
     * Leaves the stream, which ends with its last subscriber. The listener is told no more of begins and gaps, but may still be told of a
     * transaction that is just being passed on.
     */
    @Override
    public void close() {
        feed.leave(this);
    }
}
