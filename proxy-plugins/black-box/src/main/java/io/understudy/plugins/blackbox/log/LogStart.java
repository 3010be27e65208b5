package io.understudy.plugins.blackbox.log;

import io.understudy.plugins.binlog.PrimaryFacts;
import java.util.Map;

/**
 * The position in a primary's binary log at which a segment, or a stream within it, begins.
 *
 * @param history number of the primary's history, which grows with each change of the primary
 * @param anew whether the same server's numbers began anew with this history
 * @param facts of the primary; all transactions up to their position precede
 * @param began MariaDB: position at which the history began; empty on MySQL
 * @param compared by server, the history whose numbers it has, as an operator has said
 */
public record LogStart(long history, boolean anew, PrimaryFacts facts, String began, Map<String, Long> compared) {
    /** Returns the same with other servers compared. */
    public LogStart with(Map<String, Long> comparisons) {
        return new LogStart(history, anew, facts, began, comparisons);
    }
}
