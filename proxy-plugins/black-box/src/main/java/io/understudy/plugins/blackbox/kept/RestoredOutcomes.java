package io.understudy.plugins.blackbox.kept;

import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.blackbox.history.Gtid;
import io.understudy.plugins.blackbox.history.History;
import io.understudy.plugins.blackbox.outcome.OutcomeRecord;
import io.understudy.plugins.blackbox.outcome.Outcomes;
import io.understudy.plugins.blackbox.outcome.PrimaryOrder;
import io.understudy.plugins.blackbox.outcome.ServerIdentity;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether the outcomes that a log has from before this process still hold: another server may have been the
 * primary while it was down, and the present one may be built anew from that. Guarded by the lock of its
 * {@link BlackBox}; {@link #areUnproven} is thread-safe.
 */
final class RestoredOutcomes {
    private volatile boolean unproven;
    /** Whether the present primary has what another server has written since. */
    private boolean followed;
    /** Whether the stream that was requested last goes on where the log ends, if the server accepts that. */
    private boolean goesOn;

    /** Called when a log is read. */
    void restored() {
        unproven = true;
    }

    /**
     * Returns what is not known of the primary that a log ends with, unless its stream has gone on since; null for
     * nothing.
     */
    @Nullable
    String end(@Nullable History last) {
        return !unproven || last == null
                ? null
                : "what the primary (server_id " + last.facts.serverId() + ") wrote behind " + last.readUpTo()
                        + ": this proxy began when that was gone, and its log ends there";
    }

    /** Returns whether no stream has told yet. */
    boolean areUnproven() {
        return unproven;
    }

    /**
     * Called before a stream is requested.
     *
     * @param has MariaDB: GTIDs that the server has
     */
    void compare(History present, String has) {
        followed = present.isFollowed(Gtid.mariaDbPosition(has));
    }

    /** Called when a stream is requested. */
    void requested(History present, PrimaryFacts from) {
        goesOn = from.position().equals(present.readUpTo()) && !followed;
    }

    /**
     * Called with a stream's first event: the server has accepted its position. Returns what is unknown from now on.
     */
    List<OutcomeRecord> accepted(History present, Outcomes outcomes) {
        if (!unproven) {
            return List.of();
        }
        unproven = false;
        return outcomes.doubtOf(
                ServerIdentity.of(present.facts),
                goesOn ? present.number : Long.MAX_VALUE,
                goesOn ? PrimaryOrder.BACK : Outcomes.NOT_READ_ON);
    }
}
