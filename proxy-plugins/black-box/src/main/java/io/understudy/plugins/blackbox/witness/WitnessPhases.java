package io.understudy.plugins.blackbox.witness;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the witness does, since when and why: for the witness itself, reports and metrics. Thread-safe; who decides by
 * one of them about another holds its monitor.
 */
final class WitnessPhases {
    private static final Logger log = LoggerFactory.getLogger(WitnessPhases.class);

    private final boolean acknowledges;
    private final LongSupplier nanoClock;
    private final Map<Withdrawal, Long> withdrawn = new EnumMap<>(Withdrawal.class);

    private Phase phase = Phase.WITHDRAWN;
    private Withdrawal why = Withdrawal.BEHIND;
    private String cause = "it has only begun";
    private String remedy = Withdrawal.BEHIND.remedy();
    /** When it entered the phase, or its stream began. */
    private long sinceNanos;
    /** When it began to work, or ceased to. */
    private long changedNanos;

    private boolean worked;
    /** Whether a stream has begun in the present phase. */
    private boolean streaming;
    /** Whether semi-synchronous replication was switched off at the primary since. */
    private boolean off;
    /** Whether the primary answered nothing, as far as is known, that is not kept here. */
    private boolean whole;

    enum Phase {
        /** Reads nothing until it can keep again. */
        WITHDRAWN,
        /** Reads, and is no replica to the primary. */
        CATCHING_UP,
        /** Has asked to be a replica. */
        REGISTERING,
        /** The primary may wait for it. */
        PRESENT
    }

    /** @param acknowledges whether it is to be present at all */
    WitnessPhases(boolean acknowledges, LongSupplier nanoClock) {
        this.acknowledges = acknowledges;
        this.nanoClock = nanoClock;
        sinceNanos = nanoClock.getAsLong();
        changedNanos = sinceNanos;
    }

    synchronized Phase phase() {
        return phase;
    }

    synchronized boolean is(Phase asked) {
        return phase == asked;
    }

    synchronized void enter(Phase next) {
        phase = next;
        off = false;
        streaming = false;
        whole |= next == Phase.PRESENT;
        sinceNanos = nanoClock.getAsLong();
        changed();
    }

    /** Called when the stream of the present phase has begun. */
    synchronized void streams() {
        streaming = true;
        sinceNanos = nanoClock.getAsLong();
        changed();
        if (phase != Phase.REGISTERING) {
            whole = false; // the primary lives, and may have answered meanwhile
        }
        if (why == Withdrawal.CONNECTION || why == Withdrawal.NOT_PRIMARY) {
            because(Withdrawal.BEHIND, "it reads what it has missed");
        }
    }

    /** Returns to reading over the same stream. */
    synchronized void catchUpAgain() {
        enter(Phase.CATCHING_UP);
        streaming = true;
    }

    synchronized boolean isStreaming() {
        return streaming;
    }

    /** Returns the time since it entered the phase, or its stream began. */
    synchronized long nanos() {
        return nanoClock.getAsLong() - sinceNanos;
    }

    synchronized Withdrawal why() {
        return why;
    }

    synchronized void because(Withdrawal reason, String text) {
        because(reason, text, reason.remedy());
    }

    private void because(Withdrawal reason, String text, String todo) {
        why = reason;
        cause = text;
        remedy = todo;
    }

    /**
     * Counts a withdrawal, unless it only lasts.
     *
     * @param todo the remedy; empty for the reason's own
     * @return whether the reason or its text is another one than before
     */
    synchronized boolean count(Withdrawal reason, String text, String todo) {
        boolean news = why != reason || !cause.equals(text);
        if (phase == Phase.PRESENT || phase == Phase.REGISTERING || why != reason) {
            withdrawn.merge(reason, 1L, Long::sum);
        }
        because(reason, text, todo.isEmpty() ? reason.remedy() : todo);
        return news;
    }

    /** Called when the primary may have answered what is not kept here. */
    synchronized void lacks() {
        whole = false;
    }

    /**
     * Returns whether no client was told, as far as is known, of what is not kept here: the witness was present until
     * the primary's log ended.
     */
    synchronized boolean isWhole() {
        return whole;
    }

    /** Called with what the primary's last probe found. */
    synchronized void semiSync(boolean enabled) {
        if (phase != Phase.PRESENT || off == !enabled) {
            return;
        }
        if (!enabled) {
            count(Withdrawal.NO_SEMI_SYNC, "semi-synchronous replication was switched off at the primary", "");
            log.warn("black-box: the witness has nothing to acknowledge: {}; {}", cause, remedy);
        } else {
            log.info("black-box: semi-synchronous replication is on again, and the witness acknowledges");
        }
        off = !enabled;
        whole = enabled;
        changed();
    }

    synchronized boolean isPresent() {
        return phase == Phase.PRESENT && !off;
    }

    private void changed() {
        if (works() != worked) {
            worked = !worked;
            changedNanos = nanoClock.getAsLong();
        }
    }

    /** Returns whether it does what it is for: acknowledge, or without that, keep. */
    private boolean works() {
        return acknowledges ? isPresent() : streaming;
    }

    synchronized long withdrawn(Withdrawal reason) {
        return withdrawn.getOrDefault(reason, 0L);
    }

    /** Returns the view for reports; of one that does not acknowledge, it has no {@code state}. */
    synchronized Map<String, Object> view() {
        Map<String, Object> view = new LinkedHashMap<>();
        boolean works = works();
        if (acknowledges) {
            view.put("state", works ? "present" : why == Withdrawal.BEHIND ? "behind" : "withdrawn");
        } else {
            view.put("keeps", works);
        }
        view.put("reason", works ? "" : why.label());
        view.put("cause", works ? "" : cause);
        view.put("remedy", works ? "" : remedy);
        view.put("sinceSeconds", TimeUnit.NANOSECONDS.toSeconds(nanoClock.getAsLong() - changedNanos));
        Map<String, Object> counts = new LinkedHashMap<>();
        withdrawn.forEach((reason, count) -> counts.put(reason.label(), count));
        view.put("withdrawn", counts);
        return view;
    }
}
