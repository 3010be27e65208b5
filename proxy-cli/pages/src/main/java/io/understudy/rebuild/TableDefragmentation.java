package io.understudy.rebuild;

import io.understudy.pages.PagesAccount;
import io.understudy.pages.TableOrPartition;
import io.understudy.servers.ServerQueries;
import io.understudy.sql.Quoting;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One table of a {@link Defragmentation}, from the checks to its figures. Its reads are not mirrored during the
 * rebuild.
 */
final class TableDefragmentation {
    private static final double MIB = 1 << 20;

    private final PagesAccount account;
    private final MirroredReads reads;
    private final DefragmentationRun run;
    private final StandbyQueries standby;
    private final TableIdentities names;

    TableDefragmentation(PagesAccount account, MirroredReads reads, DefragmentationRun run) throws SQLException {
        this.account = account;
        this.reads = reads;
        this.run = run;
        this.standby = run.standby();
        names = new TableIdentities(standby);
    }

    /**
     * Rebuilds a table.
     *
     * @param table as {@code schema.table}
     */
    TableOutcome run(String table) throws SQLException, InterruptedException {
        TableOrPartition name = TableOrPartition.written(table);
        if (name == null) {
            return TableOutcome.without(
                    table,
                    TableOutcome.State.REFUSED,
                    "write it as schema.table; names with dots or backticks as `schema`.`table`");
        }
        try {
            Subject subject = TableChecks.check(
                    standby, RebuildPrivileges.of(standby, account.config().user()), name.schema(), name.table());
            new DiskSpace(
                            standby,
                            account.standby().address(),
                            run.options().diskFree(),
                            run.options().byPartition())
                    .check(subject);
            // Here too, because the table's reads are not mirrored from here on.
            run.awaitCalm();
            String changed = names.changed(subject);
            return changed.isEmpty() ? run(subject) : TableOutcome.without(table, TableOutcome.State.FAILED, changed);
        } catch (Refused e) {
            return TableOutcome.without(table, TableOutcome.State.REFUSED, String.valueOf(e.getMessage()));
        } catch (NotRebuiltException e) {
            return TableOutcome.without(table, e.state(), e.why());
        }
    }

    private TableOutcome run(Subject subject) throws SQLException, InterruptedException {
        TableOutcome outcome;
        try {
            tell(reads.skip(subject.shown()));
            outcome = rebuild(subject);
            names.keep(subject);
        } finally {
            tell(reads.again(subject.shown()));
        }
        if (outcome.state() != TableOutcome.State.REBUILT) {
            return outcome;
        }
        say(outcome);
        MirroredReads.Rewarmed rewarmed =
                reads.rewarm(subject.shown(), millis -> run.stop().await(millis, TimeUnit.MILLISECONDS));
        tell(rewarmed.line());
        return outcome.withReads(rewarmed.figures());
    }

    private void tell(String line) {
        if (!line.isEmpty()) {
            run.journal().line(line);
        }
    }

    private TableOutcome rebuild(Subject subject) throws SQLException, InterruptedException {
        TableRebuild rebuild = new TableRebuild(run, subject, System::nanoTime);
        String analyze = "ANALYZE LOCAL TABLE " + subject.quoted();
        Callable<Checksum> summing =
                () -> Checksum.of(run.worker().queries(), standby.queries().isMariaDb(), subject);
        TableSize before = null;
        Checksum sum;
        Set<Long> spaces;
        try {
            rebuild.execute(analyze);
            before = TableSize.of(standby, subject);
            spaces = names.all();
            sum = run.options().checksum() ? rebuild.run(summing) : null;
        } catch (NotRebuiltException e) {
            String what = before == null ? "" : "CHECKSUM TABLE: ";
            return TableOutcome.without(subject.shown(), e.state(), what + e.why());
        }
        tell(String.format(
                Locale.ROOT,
                "%s: %,d leaf pages, files of %,.1f MiB; rebuilding",
                subject.shown(),
                before.allLeafPages(),
                before.fileBytes() / MIB));
        String full = RedoLog.warning(standby, before.fileBytes());
        tell(full.isEmpty() ? "" : subject.shown() + ": " + full);
        long start = System.nanoTime();
        try {
            for (String sql : statements(subject)) {
                rebuild.execute(sql);
            }
        } catch (NotRebuiltException e) {
            return outcome(rebuild, e.state(), e.why(), before, null, since(start), "");
        }
        double seconds = since(start);
        try {
            rebuild.execute(analyze);
        } catch (NotRebuiltException e) {
            tell(subject.shown() + ": its statistics are those of the rebuild itself: " + e.why());
        }
        TableSize after = TableSize.of(standby, subject);
        String gone = after.fileBytes() == 0
                ? "its files are gone: replication or somebody else dropped or renamed it meanwhile"
                : names.taken(subject, spaces, rebuild.copies());
        if (!gone.isEmpty()) {
            return outcome(rebuild, TableOutcome.State.FAILED, gone, before, null, seconds, "");
        }
        String checksum;
        try {
            checksum = sum == null ? "" : sum.against(rebuild.run(summing));
        } catch (NotRebuiltException e) {
            checksum = "not finished: " + e.why();
        }
        boolean different = checksum.equals("DIFFERENT");
        return outcome(
                rebuild,
                different ? TableOutcome.State.FAILED : TableOutcome.State.REBUILT,
                different ? "CHECKSUM TABLE differs, though replication wrote nothing meanwhile" : "",
                before,
                after,
                seconds,
                checksum);
    }

    private static TableOutcome outcome(
            TableRebuild rebuild,
            TableOutcome.State state,
            String why,
            TableSize before,
            @Nullable TableSize after,
            double seconds,
            String checksum) {
        return new TableOutcome(
                rebuild.subject().shown(), state, why, before, after, seconds, rebuild.mostLag(), checksum, null);
    }

    private List<String> statements(Subject subject) throws SQLException {
        if (!subject.partitioned() || !run.options().byPartition()) {
            return List.of("ALTER TABLE " + subject.quoted() + " FORCE, ALGORITHM=INPLACE, LOCK=NONE");
        }
        return standby.queries()
                .rows(
                        "SELECT DISTINCT PARTITION_NAME FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = "
                                + Quoting.text(subject.schema()) + " AND TABLE_NAME = "
                                + Quoting.text(subject.table())
                                + " AND PARTITION_NAME IS NOT NULL",
                        row -> "ALTER TABLE " + subject.quoted() + " REBUILD PARTITION "
                                + Quoting.name(ServerQueries.text(row, 1)));
    }

    private static double since(long start) {
        return (System.nanoTime() - start) / 1e9;
    }

    /** Writes the outcome of a table to the journal. */
    void say(TableOutcome outcome) {
        TableSize before = outcome.before();
        TableSize after = outcome.after();
        if (before == null || after == null) {
            tell(outcome.table() + ": " + outcome.state().name().toLowerCase(Locale.ROOT) + ": " + outcome.why());
            return;
        }
        tell(String.format(
                Locale.ROOT,
                "%s: %,d -> %,d leaf pages (%+.1f %%), files %,.1f -> %,.1f MiB, %.1f s, lag at most %d s%s%s",
                outcome.table(),
                before.allLeafPages(),
                after.allLeafPages(),
                100.0 * (after.allLeafPages() - before.allLeafPages()) / Math.max(1, before.allLeafPages()),
                before.fileBytes() / MIB,
                after.fileBytes() / MIB,
                outcome.seconds(),
                outcome.mostLag(),
                outcome.checksum().isEmpty() ? "" : ", checksums " + outcome.checksum(),
                outcome.why().isEmpty() ? "" : ": " + outcome.why()));
        after.leafPages()
                .forEach((index, pages) -> tell(String.format(
                        Locale.ROOT,
                        "  %s: %,d -> %,d",
                        index,
                        before.leafPages().getOrDefault(index, 0L),
                        pages)));
    }
}
