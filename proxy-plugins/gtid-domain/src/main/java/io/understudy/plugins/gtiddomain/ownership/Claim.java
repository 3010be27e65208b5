package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.GtidPosition;
import io.understudy.plugins.gtiddomain.progress.Progress;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One family's writes in one domain: how many are in flight, and the GTID that none of the ended ones exceeds. Guarded
 * by the ownership's monitor.
 */
final class Claim {
    /** Index of the domain. */
    final int index;

    private final Progress progress;
    /** Where the writes really are: in the default domain while domains are only simulated. */
    private final int real;

    private int inFlight;
    /**
     * Whether writes have ended since the last query of the primary's position, and those before it await its answer.
     */
    private boolean ended;

    private boolean asked;
    private long bound;
    /** The bound of {@link DomainIndexes#FOREIGN}, whose writes may be in any domain; null before the first. */
    private @Nullable GtidPosition foreignBound;

    /** Figures of the report: writes of sessions, the last one's digest, whether the log had some. */
    long writes;

    long digest;
    boolean logged;
    /** The last period of the report in which a rule wanted the domain; 0 for none. */
    int wanted;

    Claim(int index, Progress progress, boolean simulated) {
        this.index = index;
        this.progress = progress;
        real = simulated ? DomainIndexes.DEFAULT : index;
    }

    private boolean foreign() {
        return index == DomainIndexes.FOREIGN;
    }

    void begins(int count) {
        inFlight += count;
        writes += count;
    }

    void ends() {
        inFlight--;
        ended = true;
    }

    boolean idle() {
        return inFlight == 0;
    }

    /** Returns whether some standby may not have applied all of it. */
    boolean owns() {
        return inFlight > 0 || ended || asked || !applied();
    }

    private boolean applied() {
        GtidPosition position = foreignBound;
        return foreign() ? position == null || progress.applied(position) : bound <= progress.applied(real);
    }

    /** Called before the primary's position is queried. */
    void asked() {
        asked |= ended;
        ended = false;
    }

    /** Called with that position. */
    void bounded(GtidPosition primary) {
        if (asked) {
            asked = false;
            foreignBound = foreign() ? primary : null;
            bound = foreign() ? 0 : Math.max(bound, progress.sequence(primary, real));
        }
    }

    /**
     * Records a write with a GTID from the binary log; of {@link DomainIndexes#FOREIGN} all that was logged. Returns
     * whether it needs the primary's position as its bound.
     */
    boolean logged(long sequence) {
        if (foreign()) {
            ended = true;
        } else {
            bound = Math.max(bound, sequence);
        }
        return foreign();
    }

    /** Asks again for a bound that the primary's position does not have. Returns whether it is asked for. */
    boolean forget(GtidPosition primary) {
        GtidPosition position = foreignBound;
        boolean lost =
                foreign() ? position != null && !primary.covers(position) : bound > progress.sequence(primary, real);
        if (lost) {
            bound = 0;
            foreignBound = null;
            ended = true;
        }
        return lost;
    }

    /** Adds the GTIDs that some standby has not reached: by domain the highest sequence number. */
    void addUnapplied(Map<Long, Long> highest) {
        GtidPosition position = foreignBound;
        if (position != null) {
            position.sequences().forEach((domain, sequence) -> {
                if (!progress.applied(domain, sequence)) {
                    highest.merge(domain, sequence, Math::max);
                }
            });
        } else if (!foreign() && !applied()) {
            highest.merge(progress.domain(real), bound, Math::max);
        }
    }

    /** Returns whether a GTID may be one of {@link DomainIndexes#FOREIGN}: without a bound any may. */
    boolean mayInclude(long domain, long sequence) {
        GtidPosition position = foreignBound;
        return inFlight > 0 || ended || asked || position != null && position.sequence(domain) >= sequence;
    }

    /** Returns a domain of {@link DomainIndexes#FOREIGN} in which some standby has nothing yet; or -1. */
    long absentDomain() {
        GtidPosition position = foreignBound;
        return position == null ? -1 : progress.absentDomain(position);
    }
}
