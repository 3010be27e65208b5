package io.understudy.plugins.commitlatency;

import io.understudy.plugins.binlog.BinlogTrouble;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which attribution is in force, and why; logs each change with the remedy. Changed by the worker, read by any thread.
 */
final class AttributionState {
    private static final Logger log = LoggerFactory.getLogger(AttributionState.class);

    /**
     * @param configured as in the configuration
     * @param active in force; {@code off} when nothing is measured beyond whole latencies
     * @param reason why it is in force, with the remedy where something is missing
     */
    record View(String configured, String active, String reason) {}

    private final boolean canAsk;
    private volatile Attribution configured;
    private volatile Attribution active = Attribution.OFF;
    private volatile String reason = "";

    AttributionState(Attribution configured, boolean canAsk) {
        this.canAsk = canAsk;
        this.configured = configured;
        begin();
    }

    private void begin() {
        active = Attribution.OFF;
        if (!canAsk && configured != Attribution.OFF) {
            reason = "no account for questions to the primary is configured: set primary.monitor";
            log.warn("commits are timed but not attributed: {}", reason);
        } else if (configured == Attribution.COUNTERS || configured == Attribution.AUTO) {
            active = Attribution.COUNTERS;
            reason = configured == Attribution.AUTO ? "the binary log is not read yet" : "configured";
        } else {
            reason = configured == Attribution.OFF ? "configured" : "the binary log is not read yet";
        }
    }

    /** The configuration has changed. What the binary log's stream is like is told again. */
    void configure(Attribution next) {
        configured = next;
        log.info("attribution is {} from now on, as configured", name(next));
        begin();
    }

    Attribution active() {
        return active;
    }

    /** The binary log is being read. */
    void streaming() {
        if (active != Attribution.BINLOG) {
            active = Attribution.BINLOG;
            reason = configured == Attribution.AUTO ? "the primary lets us read its binary log" : "configured";
            log.info("commits are attributed one by one from the primary's binary log: {}", reason);
        }
    }

    /** It is not read any more, or cannot be. */
    void trouble(BinlogTrouble trouble) {
        Attribution fallback = configured == Attribution.AUTO ? Attribution.COUNTERS : Attribution.OFF;
        boolean news = active != fallback || !reason.equals(trouble.message());
        active = fallback;
        reason = trouble.message();
        if (news && fallback == Attribution.COUNTERS) {
            log.warn("the wait for acknowledgements is known only as averages of the server's counters: {}", reason);
        } else if (news) {
            log.warn("commits are timed but not attributed: {}", reason);
        }
    }

    View view() {
        return new View(name(configured), name(active), reason);
    }

    private static String name(Attribution value) {
        return value.name().toLowerCase(java.util.Locale.ROOT);
    }
}
