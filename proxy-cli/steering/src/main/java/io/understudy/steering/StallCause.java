package io.understudy.steering;

import io.understudy.steering.parallelism.Workload;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * One cause of stalls.
 *
 * @param kind its kind
 * @param subject the statement, table or schema
 * @param lostMicros time that a standby lost by it
 * @param measured whether that was measured on a standby; otherwise it is simulated from the log
 * @param times how many transactions
 * @param worst GTID of the worst one; empty if they are many
 * @param why in words
 * @param actions that would help, the least dangerous first; may be empty
 * @param own which of the log's transactions it is about
 */
record StallCause(
        Kind kind,
        String subject,
        long lostMicros,
        boolean measured,
        long times,
        String worst,
        String why,
        List<Action> actions,
        Predicate<Workload.Entry> own) {

    /** Kinds of causes. */
    enum Kind {
        /** A schema change. */
        SCHEMA_CHANGE("schema-change"),
        /** Rows that transactions in progress at the same time change. */
        HOT_ROWS("hot-rows"),
        /** A transaction with much work. */
        LONG_TRANSACTION("long-transaction"),
        /** A standby that applies one transaction, or one commit group, after the other. */
        SERIAL_APPLY("serial-apply"),
        /** A transaction with little work; the cause is not in the log. */
        UNEXPLAINED("unexplained");

        final String label;

        Kind(String label) {
            this.label = label;
        }
    }

    static double seconds(long micros) {
        return Math.round(micros / 1e3) / 1e3;
    }

    /** Returns it with other actions. */
    StallCause with(List<Action> others) {
        return new StallCause(kind, subject, lostMicros, measured, times, worst, why, others, own);
    }

    /** Returns what it has in common with the same cause on another standby: kind, subject and remedies. */
    String identity() {
        return kind + " " + subject + " " + actions.stream().map(Action::name).toList();
    }

    /** Returns it without its actions. */
    Map<String, Object> view() {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("kind", kind.label);
        view.put("subject", subject);
        view.put("lostSeconds", seconds(lostMicros));
        view.put("measured", measured);
        view.put("transactions", times);
        view.put("worst", worst);
        view.put("why", why);
        return view;
    }
}
