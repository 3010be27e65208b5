package io.understudy.plugins.blackbox.log;

import io.understudy.plugins.binlog.PrimaryFacts;
import java.util.Map;
import java.util.Set;

/**
 * The position in a primary's binary log at which a segment, or a stream within it, begins.
 *
 * @param history number of the primary's history, which grows with each change of the primary
 * @param anew whether the same server's numbers began anew with this history
 * @param facts of the primary; all transactions up to their position precede
 * @param began MariaDB: position at which the history began; empty on MySQL
 * @param compared by server, the history whose numbers it has, as an operator has said
 * @param seen by server, where it stood when its numbers were last those from before a reset
 * @param unknown what is not known of earlier primaries, in words
 */
public record LogStart(
        long history,
        boolean anew,
        PrimaryFacts facts,
        String began,
        Map<String, Long> compared,
        Map<String, Seen> seen,
        Set<String> unknown) {
    /**
     * A server's position.
     *
     * @param received what it said of what its replication receives, without blanks
     * @param applied MariaDB: GTIDs; MySQL: a set of them
     */
    public record Seen(String received, String applied) {}

    /** Returns the same with what is known of other servers. */
    public LogStart with(Map<String, Long> comparisons, Map<String, Seen> positions, Set<String> notKnown) {
        return new LogStart(history, anew, facts, began, comparisons, positions, notKnown);
    }
}
