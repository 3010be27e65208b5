package io.understudy.plugins.mirror.playback;

import io.understudy.plugins.mirror.selection.DropReason;
import io.understudy.plugins.mirror.selection.TableLeases;
import io.understudy.plugins.mirror.tables.StandbyError;
import org.jspecify.annotations.Nullable;

/** Decides by the tables that a statement names whether one standby may execute it. Thread-safe. */
final class NamedTables {
    private final StandbyTables tables;
    private final TableLeases skipped;
    private final StandbyErrors errors;

    /**
     * @param tables what the names are on the standby
     * @param skipped the tables that an operator has had skipped
     * @param errors receives why a name could not be looked up
     */
    NamedTables(StandbyTables tables, TableLeases skipped, StandbyErrors errors) {
        this.tables = tables;
        this.skipped = skipped;
        this.errors = errors;
    }

    /** Returns why a statement must not be sent, or null; the reason may be in the last errors. */
    @Nullable
    DropReason refusal(MirroredStatement statement, StandbyTables.Verdict verdict) {
        if (skipped.covers(statement.tables(), System.nanoTime())) {
            skipped.count(statement.tables());
            return DropReason.TABLE_SKIPPED;
        }
        return switch (verdict) {
            case READS, WAIT -> null;
            case VIEW -> DropReason.VIEW;
            case ENGINE -> DropReason.ENGINE;
            case UNKNOWN -> {
                StandbyError error = tables.errorOf(statement.tables());
                if (error != null) {
                    errors.failed(statement.rule().name(), statement.digest(), error, System.nanoTime());
                }
                yield tables.reason(statement.tables());
            }
        };
    }

    /** As {@link #refusal}, when no time is left to query the standby. */
    @Nullable
    DropReason refusalOfQueued(MirroredStatement statement) {
        StandbyTables.Verdict verdict = tables.verdict(statement.tables());
        // Its names were known when it was queued; since then an outage or a reload made the mirror forget them.
        return verdict == StandbyTables.Verdict.WAIT ? DropReason.DICTIONARY_UNREAD : refusal(statement, verdict);
    }
}
