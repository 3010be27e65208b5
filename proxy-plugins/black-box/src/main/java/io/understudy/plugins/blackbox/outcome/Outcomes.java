package io.understudy.plugins.blackbox.outcome;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The last outcomes, of bounded number. Thread-safe. */
public final class Outcomes {
    static final int MOST = 10_000;
    /** Why what a server has committed is in doubt after a restart of the proxy. */
    public static final String NOT_READ_ON = "the primary's binary log could not be read on from where the log in"
            + " plugins.black-box.directory ends: another server may have been the primary meanwhile";

    private final Map<Statement, OutcomeRecord> all = new LinkedHashMap<>();
    private @Nullable Instant forgotten;

    /** What names a statement. */
    private record Statement(long session, long command, Instant when) {}

    /**
     * What is asked for. Null, and 0 as a connection or digest, stand for any.
     *
     * @param connection the session's connection id on its server
     * @param since no earlier statements
     */
    public record Filter(
            long connection,
            @Nullable String user,
            long digest,
            @Nullable Instant since,
            @Nullable String token) {
        /** Takes all. */
        public static final Filter ANY = new Filter(0, null, 0, null, null);

        boolean takes(OutcomeRecord each) {
            return (connection == 0 || connection == each.thread())
                    && (user == null || user.equals(each.user()))
                    && (digest == 0 || digest == each.digest())
                    && (since == null || !each.when().isBefore(since))
                    && (token == null || token.equals(each.token()));
        }
    }

    /**
     * Adds an outcome, in place of an earlier one of the same statement. The oldest is dropped if there are too many.
     */
    public synchronized void add(OutcomeRecord next) {
        Statement statement = new Statement(next.session(), next.command(), next.when());
        all.remove(statement);
        all.put(statement, next);
        if (all.size() > MOST) {
            OutcomeRecord oldest = all.remove(all.keySet().iterator().next());
            forgotten = oldest == null ? forgotten : oldest.when();
        }
    }

    /**
     * Makes unknown what a server has committed if another one was the primary since, or may have been: it may have
     * given the numbers again.
     *
     * @param history what was kept in it or later stays
     * @param why it is unknown
     * @return what is unknown now
     */
    public synchronized List<OutcomeRecord> doubtOf(ServerIdentity server, long history, String why) {
        List<OutcomeRecord> doubted = all.values().stream()
                .filter(each -> each.verdict() == OutcomeRecord.Verdict.COMMITTED
                        && (each.gtid().isEmpty() || server.wrote(each.gtid()))
                        && each.history() != 0
                        && each.history() < history)
                .map(each -> each.doubted(why, true))
                .toList();
        doubted.forEach(this::add);
        return doubted;
    }

    /** Drops a record that another one takes the place of. */
    synchronized void remove(OutcomeRecord one) {
        all.remove(new Statement(one.session(), one.command(), one.when()));
    }

    /** Returns the time up to which outcomes are forgotten; null if none is. */
    synchronized @Nullable Instant forgotten() {
        return forgotten;
    }

    /** Returns the newest that are settled, the oldest of them first. */
    public synchronized List<OutcomeRecord> newest(int most) {
        List<OutcomeRecord> settled =
                all.values().stream().filter(OutcomeRecord::settled).toList();
        return settled.subList(Math.max(0, settled.size() - most), settled.size());
    }

    /** Returns the outcomes that were asked for, in the order in which they were last added. */
    public List<OutcomeRecord> find(Filter filter) {
        List<OutcomeRecord> copy;
        synchronized (this) { // shortly: event loops add
            copy = List.copyOf(all.values());
        }
        return copy.stream().filter(filter::takes).toList();
    }
}
