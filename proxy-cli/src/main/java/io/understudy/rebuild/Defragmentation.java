package io.understudy.rebuild;

import io.understudy.pages.PagesAccount;
import io.understudy.pages.ServerQueries;
import io.understudy.pages.TableOrPartition;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Rebuilds tables of one standby, one after the other. {@link #stop} is thread-safe; all other methods belong to one
 * thread.
 *
 * <pre>
 * check the server
 * for each table: check, wait until calm, rebuild under watch, read statistics
 * check that nothing was logged
 * </pre>
 */
public final class Defragmentation {
    private static final Duration QUERY_TIMEOUT = Duration.ofSeconds(30);
    /** Statements that end the run, over connections of their own. */
    private static final Duration ENDING_TIMEOUT = Duration.ofSeconds(5);

    private static final String LOCK = "understudy.defragment";
    private static final String LOST = "a connection to the standby is lost";
    private static final double MIB = 1 << 20;

    /**
     * The operator's choices.
     *
     * @param diskFree free bytes on the standby's disk as the operator states them; null to determine them
     * @param checksum whether tables are compared before and after
     * @param byPartition whether partitions are rebuilt one by one; each is locked during its rebuild
     * @param lowerSuperReadOnly whether MySQL's super_read_only is set to 0 during the rebuild
     */
    public record Options(
            Bounds bounds,
            @Nullable Long diskFree,
            boolean checksum,
            boolean byPartition,
            boolean lowerSuperReadOnly) {}

    private final PagesAccount account;
    private final Options options;
    private final ProgressOutput journal;
    private final MirroredReads reads;
    private final CountDownLatch stop = new CountDownLatch(1);
    private volatile @Nullable SuperReadOnly lowered;

    /** @param reads of the tables, which are not mirrored during their rebuild */
    public Defragmentation(PagesAccount account, Options options, ProgressOutput journal, MirroredReads reads) {
        this.account = account;
        this.options = options;
        this.journal = journal;
        this.reads = reads;
    }

    /**
     * The result for all tables.
     *
     * @param errant transactions that the standby logged itself during the run, from any client; empty if none, null if
     *     the server does not tell because it logs without GTIDs
     * @param allRebuilt whether all tables were rebuilt and the server has the settings that it had before
     * @param promoted why the server is no standby any more, which ended the run; empty if it is one
     */
    public record Result(
            List<Map<String, @Nullable Object>> tables,
            @Nullable String errant,
            boolean allRebuilt,
            String promoted) {
        /** Returns whether all was done and no errant transaction is known. */
        public boolean succeeded() {
            return allRebuilt && (errant == null || errant.isEmpty());
        }

        /** Returns the fields of the JSON report. */
        public Map<String, @Nullable Object> map() {
            Map<String, @Nullable Object> map = new LinkedHashMap<>();
            map.put("tables", tables);
            map.put("errant", errant);
            map.put("promoted", promoted.isEmpty() ? null : promoted);
            return map;
        }
    }

    /** Has the running rebuild end and no further one start; {@link #run} then returns. */
    public void stop() {
        stop.countDown();
    }

    /** Returns what the operator has to do if the program ends now; empty if nothing. Thread-safe. */
    public String left() {
        SuperReadOnly setting = lowered;
        return setting == null ? "" : setting.left();
    }

    /** Returns whether a stop was requested. */
    private boolean stopped() {
        return stop.getCount() == 0;
    }

    /**
     * Rebuilds tables.
     *
     * @param tables as {@code schema.table}
     * @throws Refused if nothing may be rebuilt on this server
     */
    public Result run(List<String> tables) throws SQLException, Refused, InterruptedException {
        try (Connection watching = account.connect(QUERY_TIMEOUT)) {
            StandbyQueries standby = new StandbyQueries(new ServerQueries(watching));
            new ServerChecks(standby, account.standby().name(), account.config().user())
                    .run(options.lowerSuperReadOnly());
            lock(standby);
            Worker.keep(standby.queries());
            try (Worker worker = Worker.of(account.connect(QUERY_TIMEOUT))) {
                return run(standby, worker, tables);
            }
        }
    }

    private Result run(StandbyQueries standby, Worker worker, List<String> tables)
            throws SQLException, Refused, InterruptedException {
        OwnTransactions own = new OwnTransactions(standby);
        boolean lowers = standby.superReadOnly();
        SuperReadOnly superReadOnly = new SuperReadOnly(standby, () -> account.connect(ENDING_TIMEOUT), journal);
        lowered = superReadOnly;
        List<Outcome> outcomes = new ArrayList<>();
        boolean asBefore;
        try {
            if (lowers) {
                superReadOnly.lower();
            }
            TableRebuild rebuild = new TableRebuild(
                    standby, worker, options.bounds(), calm(standby), journal, this::stopped, this::kill);
            all(standby, worker, rebuild, tables, outcomes);
        } finally {
            asBefore = !lowers || raised(superReadOnly);
        }
        String promoted = promoted(standby);
        String errant = own.meanwhile(() -> account.connect(ENDING_TIMEOUT));
        journal.line(OwnTransactions.line(errant));
        return new Result(
                outcomes.stream().map(Outcome::map).toList(),
                errant,
                asBefore && outcomes.stream().allMatch(outcome -> outcome.state() == Outcome.State.REBUILT),
                promoted);
    }

    /** Rebuilds tables. An error at one of them leaves the outcomes of those before it. */
    private void all(
            StandbyQueries standby, Worker worker, TableRebuild rebuild, List<String> tables, List<Outcome> outcomes)
            throws SQLException, InterruptedException {
        TableIdentities names = new TableIdentities(standby);
        String over = "";
        for (String table : tables) {
            Outcome outcome;
            try {
                over = over.isEmpty() ? over(standby, tables.size() - outcomes.size()) : over;
                outcome = over.isEmpty()
                        ? one(standby, worker, rebuild, names, table)
                        : Outcome.without(table, Outcome.State.ENDED, "not begun, as " + over);
            } catch (ConnectionLostException e) {
                outcome = failed(table, e);
                over = LOST;
            } catch (SQLException e) {
                outcome = failed(table, e);
                over = lost(standby.queries()) ? LOST : "";
            }
            outcomes.add(outcome);
            if (outcome.state() != Outcome.State.REBUILT) {
                say(outcome);
            }
        }
    }

    /**
     * Returns why no further table is begun, or an empty text.
     *
     * @param left the number of tables that are left
     */
    private String over(StandbyQueries standby, int left) throws SQLException {
        if (stopped()) {
            return "it was stopped";
        }
        String promoted = Bounds.promoted(standby.load());
        if (!promoted.isEmpty()) {
            journal.line("the run ends here, with tables not begun: " + left + ", as " + promoted);
        }
        return promoted;
    }

    private static String promoted(StandbyQueries standby) {
        try {
            return Bounds.promoted(standby.load());
        } catch (SQLException unreachable) {
            return "";
        }
    }

    private static Outcome failed(String table, SQLException e) {
        return Outcome.without(table, Outcome.State.FAILED, String.valueOf(e.getMessage()));
    }

    private static boolean lost(ServerQueries queries) {
        try {
            return queries.number("SELECT 1") != 1;
        } catch (SQLException e) {
            return true;
        }
    }

    private Calm calm(StandbyQueries standby) {
        return new Calm(standby, options.bounds(), stop, journal);
    }

    /** Returns false if the server cannot be reached, which the journal then says. */
    private static boolean raised(SuperReadOnly superReadOnly) {
        try {
            superReadOnly.raise();
            return true;
        } catch (SQLException e) {
            return false;
        }
    }

    /** Takes a lock that the server releases with the connection. */
    private void lock(StandbyQueries standby) throws SQLException, Refused {
        if (standby.queries().number("SELECT GET_LOCK(" + ServerQueries.quote(LOCK) + ", 0)") != 1) {
            long other = standby.queries().number("SELECT IS_USED_LOCK(" + ServerQueries.quote(LOCK) + ")");
            throw new Refused("another defragment is at work on "
                    + account.standby().name() + ", in connection " + other
                    + "; two at once would make it lag. If its program is gone: KILL " + other);
        }
    }

    private Outcome one(
            StandbyQueries standby, Worker worker, TableRebuild rebuild, TableIdentities names, String table)
            throws SQLException, InterruptedException {
        TableOrPartition name = TableOrPartition.written(table);
        if (name == null) {
            return Outcome.without(
                    table,
                    Outcome.State.REFUSED,
                    "write it as schema.table; names with dots or backticks as `schema`.`table`");
        }
        Subject subject;
        try {
            subject = new TableChecks(
                            standby,
                            Grants.of(
                                    standby.queries(),
                                    standby.product(),
                                    account.config().user()))
                    .check(name.schema(), name.table());
            new DiskSpace(standby, account.standby().address(), options.diskFree(), options.byPartition())
                    .check(subject);
        } catch (Refused e) {
            return Outcome.without(table, Outcome.State.REFUSED, String.valueOf(e.getMessage()));
        }
        // Here too, because the table's reads are not mirrored from here on.
        TableRebuild.Failure busy = calm(standby).await();
        if (busy != null) {
            return Outcome.without(table, busy.state(), busy.why());
        }
        String changed = names.changed(subject);
        if (!changed.isEmpty()) {
            return Outcome.without(table, Outcome.State.FAILED, changed);
        }
        Outcome outcome;
        try {
            tell(reads.skip(subject.shown()));
            outcome = rebuild(standby, worker, rebuild, names, subject);
            names.keep(subject);
        } finally {
            tell(reads.again(subject.shown()));
        }
        if (outcome.state() != Outcome.State.REBUILT) {
            return outcome;
        }
        say(outcome);
        MirroredReads.Rewarmed rewarmed =
                reads.rewarm(subject.shown(), millis -> stop.await(millis, TimeUnit.MILLISECONDS));
        tell(rewarmed.line());
        return outcome.withReads(rewarmed.figures());
    }

    private void tell(String line) {
        if (!line.isEmpty()) {
            journal.line(line);
        }
    }

    private Outcome rebuild(
            StandbyQueries standby, Worker worker, TableRebuild rebuild, TableIdentities names, Subject subject)
            throws SQLException, InterruptedException {
        rebuild.begin();
        TableRebuild.Work analyze = () -> worker.queries().execute("ANALYZE LOCAL TABLE " + subject.quoted());
        TableRebuild.Failure unread = rebuild.run(subject, analyze);
        if (unread != null) {
            return Outcome.without(subject.shown(), unread.state(), unread.why());
        }
        TableSize before = TableSize.of(standby, subject);
        Set<Long> spaces = names.all();
        AtomicReference<Checksum> sum = new AtomicReference<>();
        TableRebuild.Work summing = () -> sum.set(Checksum.of(worker.queries(), standby.product(), subject));
        TableRebuild.Failure unsummed = options.checksum() ? rebuild.run(subject, summing) : null;
        if (unsummed != null) {
            return Outcome.without(subject.shown(), unsummed.state(), "CHECKSUM TABLE: " + unsummed.why());
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
        for (String sql : statements(standby, subject)) {
            TableRebuild.Failure failure =
                    rebuild.run(subject, () -> worker.queries().execute(sql));
            if (failure != null) {
                return new Outcome(
                        subject.shown(),
                        failure.state(),
                        failure.why(),
                        before,
                        null,
                        since(start),
                        rebuild.mostLag(),
                        "",
                        null);
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
            return new Outcome(
                    subject.shown(), Outcome.State.FAILED, gone, before, null, seconds, rebuild.mostLag(), "", null);
        }
        String checksum = "";
        if (sumBefore != null) {
            unsummed = rebuild.run(subject, summing);
            checksum = unsummed == null
                    ? sumBefore.against(Objects.requireNonNull(sum.get()))
                    : "not finished: " + unsummed.why();
        }
        return new Outcome(
                subject.shown(),
                checksum.equals("DIFFERENT") ? Outcome.State.FAILED : Outcome.State.REBUILT,
                checksum.equals("DIFFERENT")
                        ? "CHECKSUM TABLE differs, though replication wrote nothing meanwhile"
                        : "",
                before,
                after,
                seconds,
                rebuild.mostLag(),
                checksum,
                null);
    }

    private void kill(long connection) throws SQLException, InterruptedException {
        try (Connection own = account.connect(ENDING_TIMEOUT)) {
            if (!new StandbyQueries(new ServerQueries(own)).end(connection)) {
                throw new SQLException("it is killed and still there");
            }
        }
    }

    private List<String> statements(StandbyQueries standby, Subject subject) throws SQLException {
        if (!subject.partitioned() || !options.byPartition()) {
            return List.of("ALTER TABLE " + subject.quoted() + " FORCE, ALGORITHM=INPLACE, LOCK=NONE");
        }
        return standby.queries()
                .rows(
                        "SELECT DISTINCT PARTITION_NAME FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = "
                                + ServerQueries.quote(subject.schema()) + " AND TABLE_NAME = "
                                + ServerQueries.quote(subject.table())
                                + " AND PARTITION_NAME IS NOT NULL",
                        row -> "ALTER TABLE " + subject.quoted() + " REBUILD PARTITION "
                                + ServerQueries.name(ServerQueries.text(row, 1)));
    }

    private static double since(long start) {
        return (System.nanoTime() - start) / 1e9;
    }

    private void say(Outcome outcome) {
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
