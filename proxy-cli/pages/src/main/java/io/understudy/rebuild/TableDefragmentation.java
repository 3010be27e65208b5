package io.understudy.rebuild;

import io.understudy.pages.PagesAccount;
import io.understudy.pages.TableOrPartition;
import io.understudy.rebuild.TableRebuild.NotRebuiltException;
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

    /**
     * A table's checksum and the replication position of the standby before and after it was calculated. The checksum's
     * snapshot lies anywhere between the two.
     *
     * @param from the position that the standby had applied before; empty if it has none
     * @param to the same, after
     * @param unrepeatable why the server may return another value for the same rows, or null
     */
    record Checksum(
            String value, String from, String to, @Nullable String unrepeatable) {

        static Checksum of(ServerQueries queries, boolean mariaDb, Subject subject) throws SQLException {
            String from = position(queries, mariaDb);
            String value = queries.rows("CHECKSUM TABLE " + subject.quoted(), row -> ServerQueries.text(row, 2))
                    .get(0);
            return new Checksum(value, from, position(queries, mariaDb), unrepeatable(queries, mariaDb, subject));
        }

        /**
         * Returns why the server may calculate another value for the same rows, or null if it does not: MariaDB adds up
         * virtual columns and MySQL the hidden columns of multi-valued indexes without calculating them, so what their
         * row buffers held before (seen on 11.4 and 9.7).
         */
        private static @Nullable String unrepeatable(ServerQueries queries, boolean mariaDb, Subject subject)
                throws SQLException {
            String table = " WHERE TABLE_SCHEMA = " + Quoting.text(subject.schema()) + " AND TABLE_NAME = "
                    + Quoting.text(subject.table());
            long such = queries.number(
                    mariaDb
                            ? "SELECT COUNT(*) FROM information_schema.COLUMNS" + table
                                    + " AND EXTRA LIKE '%VIRTUAL GENERATED%'"
                            : "SELECT COUNT(*) FROM information_schema.STATISTICS" + table
                                    + " AND EXPRESSION LIKE '% array)%'");
            if (such == 0) {
                return null;
            }
            return mariaDb
                    ? "MariaDB does not calculate virtual columns for CHECKSUM TABLE"
                    : "MySQL does not calculate multi-valued indexes for CHECKSUM TABLE";
        }

        private static String position(ServerQueries queries, boolean mariaDb) throws SQLException {
            return queries.text(mariaDb ? "SELECT @@GLOBAL.gtid_slave_pos" : "SELECT @@GLOBAL.gtid_executed");
        }

        /** Compares this checksum, from before the rebuild, with the one from after it and returns the finding. */
        String against(Checksum after) {
            if (value.equals(after.value)) {
                return "equal";
            }
            if (unrepeatable != null) {
                return "not comparable, as " + unrepeatable;
            }
            if (from.isEmpty()) {
                return "not comparable, as without GTIDs nothing tells whether replication wrote meanwhile";
            }
            return from.equals(after.to) ? "DIFFERENT" : "not comparable, as replication wrote meanwhile";
        }
    }

    /**
     * The room in MariaDB's redo log, which takes a rebuild's copy too. When it is full, every write on the server
     * waits while pages are flushed, so the applier lags. MySQL builds the copy without redo.
     */
    static final class RedoLog {
        private static final long MIB = 1 << 20;
        /** The server keeps a part of the log free, and the next table's copy comes soon. */
        private static final int SPARE = 2;

        private RedoLog() {}

        /**
         * Returns a warning if the copy of a table may not fit into the log, or an empty text. The server has no such
         * counters if it is MySQL or an old MariaDB.
         *
         * @param copyBytes the largest size of the copy
         */
        static String warning(StandbyQueries standby, long copyBytes) throws SQLException {
            long most = standby.queries().status("Innodb_checkpoint_max_age");
            long free = most - standby.queries().status("Innodb_checkpoint_age");
            return most <= 0 || copyBytes <= free
                    ? ""
                    : String.format(
                            Locale.ROOT,
                            "the copy may write %,d MiB of redo log, of which %,d MiB are free: when it is full, all"
                                    + " writes"
                                    + " on the standby wait for pages to be flushed, and it lags; a larger log prevents"
                                    + " that: SET GLOBAL innodb_log_file_size = %d (before MariaDB 10.9: in its"
                                    + " configuration)",
                            mib(copyBytes),
                            Math.max(0, free / MIB),
                            MIB * SPARE * mib(copyBytes));
        }

        private static long mib(long bytes) {
            return (bytes + MIB - 1) / MIB;
        }
    }
}
