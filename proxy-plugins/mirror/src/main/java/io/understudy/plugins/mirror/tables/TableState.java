package io.understudy.plugins.mirror.tables;

import io.understudy.sql.TableName;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of a name on a standby.
 *
 * @param kind decides about reads of it
 * @param reason why reads of it are not mirrored, else null
 * @param names the name and, for a view, all that its definition reads through further views
 * @param queriedNanos monotonic time before the standby was queried
 * @param error the standby's error for a read of an absent name, or null
 */
public record TableState(
        Kind kind,
        @Nullable String reason,
        Set<TableName> names,
        long queriedNanos,
        @Nullable StandbyError error) {
    public enum Kind {
        /** A base table of a local engine, or a view that only reads. */
        READS,
        /** A view that is not certainly a pure read. */
        VIEW,
        /** A table, or a view on one, whose engine is not known to be local. */
        ENGINE,
        /** Not there, or not visible to the mirror's account. */
        ABSENT
    }
}
