package io.understudy.plugins.commitlatency;

import io.understudy.plugins.binlog.BinlogDump;
import io.understudy.plugins.binlog.BinlogTrouble;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The attribution in force with its reason; logs each change with the remedy. Changed by the worker, read by any
 * thread.
 */
final class AttributionState {
    private static final Logger log = LoggerFactory.getLogger(AttributionState.class);

    /**
     * @param configured as in the configuration
     * @param active in force; {@code off} if only whole latencies are measured
     * @param reason why it is in force, with the remedy if something is missing
     */
    record View(String configured, String active, String reason) {}

    private final boolean hasAccount;
    private volatile Attribution configured;
    private volatile Attribution active = Attribution.OFF;
    private volatile String reason = "";
    /** Whether the log's last line is not that commits are attributed from the binary log. */
    private boolean news = true;

    AttributionState(Attribution configured, boolean hasAccount) {
        this.hasAccount = hasAccount;
        this.configured = configured;
        begin();
    }

    private void begin() {
        active = Attribution.OFF;
        if (!hasAccount && configured != Attribution.OFF) {
            reason = "no account to query the primary is configured: set primary.monitor";
            log.warn("commits are timed but not attributed: {}", reason);
        } else if (configured == Attribution.COUNTERS || configured == Attribution.AUTO) {
            active = Attribution.COUNTERS;
            reason = configured == Attribution.AUTO ? "the binary log is not read yet" : "configured";
        } else {
            reason = configured == Attribution.OFF ? "configured" : "the binary log is not read yet";
        }
    }

    /** Called when the configuration has changed. The stream's state is reported again after it. */
    void configure(Attribution next) {
        configured = next;
        news = true;
        log.info("attribution is {} from now on, as configured", name(next));
        begin();
    }

    Attribution active() {
        return active;
    }

    /** Called when the binary log's stream has begun. */
    void streaming() {
        if (active != Attribution.BINLOG) {
            active = Attribution.BINLOG;
            reason = configured == Attribution.AUTO ? "the primary allows its binary log to be read" : "configured";
            if (news) {
                news = false;
                log.info("commits are attributed one by one from the primary's binary log: {}", reason);
            }
        }
    }

    /**
     * Called when the stream has ended or could not begin. A lost connection is logged by {@link BinlogDump}, or with
     * the primary's outage.
     */
    void trouble(BinlogTrouble trouble) {
        Attribution fallback = configured == Attribution.AUTO ? Attribution.COUNTERS : Attribution.OFF;
        boolean changed = active != fallback || !reason.equals(trouble.message());
        active = fallback;
        reason = trouble.message();
        if (!changed || trouble.reason() == BinlogTrouble.Reason.CONNECTION) {
            return;
        }
        news = true;
        if (fallback == Attribution.COUNTERS) {
            log.warn("the wait for acknowledgements is known only as averages of the server's counters: {}", reason);
        } else {
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
