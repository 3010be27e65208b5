package io.understudy.plugins.blackbox.history;

import io.understudy.servers.GtidNumbers;
import java.util.Collection;
import java.util.List;

/**
 * What was read of a history at one time.
 *
 * @param last on MariaDB the last number of each stream, on MySQL all of them; standbys' numbers may be added
 * @param own the numbers that this primary has given so far
 * @param nanos the monotonic time of that
 */
public record Reach(History of, GtidNumbers last, GtidNumbers own, long nanos) {
    /** Returns the same, with what standbys have of this primary's numbers. */
    public Reach and(Collection<Applied> standbys) {
        GtidNumbers all = new GtidNumbers();
        all.addAll(last);
        standbys.forEach(each -> all.addAll(of.own(each.of(of))));
        return new Reach(of, all, own, nanos);
    }

    /** Returns whether a command that was sent later has committed a number that was given before. */
    public boolean isRepeatedBy(History present, List<Gtid> gtids, AnsweredCommit commit) {
        return of == present
                && commit.commits()
                && commit.supposed() == null
                && commit.sentNanos() - nanos > 0
                && gtids.stream().allMatch(gtid -> of.isWriter(gtid) && own.contains(gtid.source(), gtid.number()));
    }
}
