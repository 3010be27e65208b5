package io.understudy.rebuild;

import io.understudy.pages.PagesAccount;
import io.understudy.pages.TableOrPartition;
import io.understudy.servers.ServerQueries;
import io.understudy.sql.Quoting;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One table of a {@link Defragmentation}, from the checks to its figures. Its reads are not mirrored during the
 * rebuild.
 */
final class TableDefragmentation {
    private static final double MIB = 1 << 20;

    private final PagesAccount account;
    private final Defragmentation.Options options;
    private final MirroredReads reads;
    private final Calm calm;
    private final StandbyQueries standby;
    private final ProgressOutput journal;
    private final Worker worker;
    private final TableRebuild rebuild;
    private final TableIdentities names;

    TableDefragmentation(
            PagesAccount account,
            Defragmentation.Options options,
            MirroredReads reads,
            Calm calm,
            Worker worker,
            TableRebuild rebuild)
            throws SQLException {
        this.account = account;
        this.options = options;
        this.reads = reads;
        this.calm = calm;
        this.standby = calm.standby();
        this.journal = calm.journal();
        this.worker = worker;
        this.rebuild = rebuild;
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
        Subject subject;
        try {
            subject = new TableChecks(
                            standby,
                            RebuildPrivileges.of(standby, account.config().user()))
                    .check(name.schema(), name.table());
            new DiskSpace(standby, account.standby().address(), options.diskFree(), options.byPartition())
                    .check(subject);
        } catch (Refused e) {
            return TableOutcome.without(table, TableOutcome.State.REFUSED, String.valueOf(e.getMessage()));
        }
        // Here too, because the table's reads are not mirrored from here on.
        TableRebuild.Failure busy = calm.await();
        if (busy != null) {
            return TableOutcome.without(table, busy.state(), busy.why());
        }
        String changed = names.changed(subject);
        if (!changed.isEmpty()) {
            return TableOutcome.without(table, TableOutcome.State.FAILED, changed);
        }
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
                reads.rewarm(subject.shown(), millis -> calm.stop().await(millis, TimeUnit.MILLISECONDS));
        tell(rewarmed.line());
        return outcome.withReads(rewarmed.figures());
    }

    private void tell(String line) {
        if (!line.isEmpty()) {
            journal.line(line);
        }
    }

    private TableOutcome rebuild(Subject subject) throws SQLException, InterruptedException {
        rebuild.begin();
        TableRebuild.Work analyze = () -> worker.queries().execute("ANALYZE LOCAL TABLE " + subject.quoted());
        TableRebuild.Failure unread = rebuild.run(subject, analyze);
        if (unread != null) {
            return TableOutcome.without(subject.shown(), unread.state(), unread.why());
        }
        TableSize before = TableSize.of(standby, subject);
        Set<Long> spaces = names.all();
        AtomicReference<Checksum> sum = new AtomicReference<>();
        TableRebuild.Work summing =
                () -> sum.set(Checksum.of(worker.queries(), standby.queries().isMariaDb(), subject));
        TableRebuild.Failure unsummed = options.checksum() ? rebuild.run(subject, summing) : null;
        if (unsummed != null) {
            return TableOutcome.without(subject.shown(), unsummed.state(), "CHECKSUM TABLE: " + unsummed.why());
        }
        Checksum sumBefore = sum.get();
        journal.line(String.format(
                Locale.ROOT,
                "%s: %,d leaf pages, files of %,.1f MiB; rebuilding",
                subject.shown(),
                before.allLeafPages(),
                before.fileBytes() / MIB));
        String full = new RedoLog(standby).warning(before.fileBytes());
        if (!full.isEmpty()) {
            journal.line(subject.shown() + ": " + full);
        }
        long start = System.nanoTime();
        for (String sql : statements(subject)) {
            TableRebuild.Failure failure =
                    rebuild.run(subject, () -> worker.queries().execute(sql));
            if (failure != null) {
                return outcome(subject, failure.state(), failure.why(), before, null, since(start), "");
            }
        }
        double seconds = since(start);
        unread = rebuild.run(subject, analyze);
        if (unread != null) {
            journal.line(subject.shown() + ": its statistics are those of the rebuild itself: " + unread.why());
        }
        TableSize after = TableSize.of(standby, subject);
        String gone = after.fileBytes() == 0
                ? "its files are gone: replication or somebody else dropped or renamed it meanwhile"
                : names.taken(subject, spaces, rebuild.copies());
        if (!gone.isEmpty()) {
            return outcome(subject, TableOutcome.State.FAILED, gone, before, null, seconds, "");
        }
        String checksum = "";
        if (sumBefore != null) {
            unsummed = rebuild.run(subject, summing);
            checksum = unsummed == null
                    ? sumBefore.against(Objects.requireNonNull(sum.get()))
                    : "not finished: " + unsummed.why();
        }
        boolean different = checksum.equals("DIFFERENT");
        return outcome(
                subject,
                different ? TableOutcome.State.FAILED : TableOutcome.State.REBUILT,
                different ? "CHECKSUM TABLE differs, though replication wrote nothing meanwhile" : "",
                before,
                after,
                seconds,
                checksum);
    }

    private TableOutcome outcome(
            Subject subject,
            TableOutcome.State state,
            String why,
            TableSize before,
            @Nullable TableSize after,
            double seconds,
            String checksum) {
        return new TableOutcome(subject.shown(), state, why, before, after, seconds, rebuild.mostLag(), checksum, null);
    }

    private List<String> statements(Subject subject) throws SQLException {
        if (!subject.partitioned() || !options.byPartition()) {
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
            journal.line(
                    outcome.table() + ": " + outcome.state().name().toLowerCase(Locale.ROOT) + ": " + outcome.why());
            return;
        }
        journal.line(String.format(
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
                .forEach((index, pages) -> journal.line(String.format(
                        Locale.ROOT,
                        "  %s: %,d -> %,d",
                        index,
                        before.leafPages().getOrDefault(index, 0L),
                        pages)));
    }
}
