package io.understudy.rebuild;

import io.understudy.pages.PagesAccount;
import io.understudy.rebuild.TableRebuild.ConnectionLostException;
import io.understudy.servers.ServerQueries;
import io.understudy.sql.Quoting;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
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
            check(standby, account.standby().name(), account.config().user(), options.lowerSuperReadOnly());
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
        SuperReadOnly.Connecting further = () -> account.connect(ENDING_TIMEOUT);
        SuperReadOnly superReadOnly = new SuperReadOnly(standby, further, journal);
        lowered = superReadOnly;
        List<TableOutcome> outcomes = new ArrayList<>();
        boolean asBefore;
        try {
            if (lowers) {
                superReadOnly.lower();
            }
            TableDefragmentation one = new TableDefragmentation(
                    account, reads, new DefragmentationRun(standby, worker, further, options, stop, journal));
            all(standby, one, tables, outcomes);
        } finally {
            asBefore = !lowers || raised(superReadOnly);
        }
        String promoted = promoted(standby);
        String errant = own.meanwhile(further);
        journal.line(OwnTransactions.line(errant));
        return new Result(
                outcomes.stream().map(TableOutcome::map).toList(),
                errant,
                asBefore && outcomes.stream().allMatch(outcome -> outcome.state() == TableOutcome.State.REBUILT),
                promoted);
    }

    /** Rebuilds tables. An error at one of them leaves the outcomes of those before it. */
    private void all(StandbyQueries standby, TableDefragmentation one, List<String> tables, List<TableOutcome> outcomes)
            throws InterruptedException {
        String over = "";
        for (String table : tables) {
            TableOutcome outcome;
            try {
                over = over.isEmpty() ? over(standby, tables.size() - outcomes.size()) : over;
                outcome = over.isEmpty()
                        ? one.run(table)
                        : TableOutcome.without(table, TableOutcome.State.ENDED, "not begun, as " + over);
            } catch (ConnectionLostException e) {
                outcome = failed(table, e);
                over = LOST;
            } catch (SQLException e) {
                outcome = failed(table, e);
                over = lost(standby.queries()) ? LOST : "";
            }
            outcomes.add(outcome);
            if (outcome.state() != TableOutcome.State.REBUILT) {
                one.say(outcome);
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

    private static TableOutcome failed(String table, SQLException e) {
        return TableOutcome.without(table, TableOutcome.State.FAILED, String.valueOf(e.getMessage()));
    }

    private static boolean lost(ServerQueries queries) {
        try {
            return queries.number("SELECT 1") != 1;
        } catch (SQLException e) {
            return true;
        }
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
        if (standby.queries().number("SELECT GET_LOCK(" + Quoting.text(LOCK) + ", 0)") != 1) {
            long other = standby.queries().number("SELECT IS_USED_LOCK(" + Quoting.text(LOCK) + ")");
            throw new Refused("another defragment is at work on "
                    + account.standby().name() + ", in connection " + other
                    + "; two at once would make it lag. If its program is gone: KILL " + other);
        }
    }

    /** The transactions that a standby logged itself up to now, to be compared with those at the end. */
    static final class OwnTransactions {
        private final StandbyQueries standby;
        private final @Nullable String before;

        OwnTransactions(StandbyQueries standby) throws SQLException {
            this.standby = standby;
            this.before = standby.ownTransactions();
        }

        /**
         * Returns the difference, or why it is not known: over a connection of its own if the standby's is lost. Empty
         * if there is none, null if the server logs without GTIDs.
         */
        @Nullable
        String meanwhile(SuperReadOnly.Connecting connecting) {
            try {
                return difference(now(connecting));
            } catch (SQLException e) {
                return "not known: " + e.getMessage();
            }
        }

        private @Nullable String now(SuperReadOnly.Connecting connecting) throws SQLException {
            try {
                return standby.ownTransactions();
            } catch (SQLException lost) {
                try (Connection own = connecting.open()) {
                    return new StandbyQueries(new ServerQueries(own)).ownTransactions();
                }
            }
        }

        private @Nullable String difference(@Nullable String now) {
            if (before == null || now == null) {
                return null;
            }
            return now.equals(before) ? "" : "before: '" + before + "', now: '" + now + "'";
        }

        /** Returns the line for the operator about a difference. */
        static String line(@Nullable String errant) {
            if (errant == null) {
                return "whether this server logged transactions of its own is not known: gtid_mode is off";
            }
            return errant.isEmpty()
                    ? "this server logged no transaction of its own"
                    : "transactions that this server logged itself meanwhile: " + errant;
        }
    }

    /**
     * Checks whether tables of this server may be rebuilt: the server must be a read-only replica, and the account must
     * have the privileges.
     *
     * @param name the standby's
     * @param user the account's
     * @param lowersSuperReadOnly whether the caller may set {@code super_read_only} to 0 during the rebuild
     */
    private static void check(StandbyQueries standby, String name, String user, boolean lowersSuperReadOnly)
            throws SQLException, Refused {
        if (!standby.readOnly()) {
            throw new Refused(name
                    + " is writable: this is a primary, or a standby without its fence; nothing was done. On a standby:"
                    + " SET GLOBAL read_only = 1");
        }
        List<String> missing =
                RebuildPrivileges.of(standby, user).missingOnServer(lowersSuperReadOnly && standby.superReadOnly());
        if (!missing.isEmpty()) {
            throw new Refused("the account " + user + " lacks privileges on " + name
                    + "; an administrator grants them there with: " + "SET SESSION sql_log_bin = 0; "
                    + String.join(" ", missing));
        }
        List<Long> channels = standby.channels();
        if (channels.isEmpty()) {
            throw new Refused(name + " replicates from no server: it is no standby; nothing was done");
        }
        if (channels.contains(-1L)) {
            throw new Refused(name + " does not replicate at the moment, so its lag cannot be watched; understudy ready"
                    + " says what to do");
        }
        if (standby.superReadOnly() && !lowersSuperReadOnly) {
            throw new Refused(name
                    + " has super_read_only, under which MySQL rebuilds no table, not even outside of the"
                    + " binary log;"
                    + " --lower-super-read-only sets it to 0 for as long as the rebuild takes (read_only"
                    + " stays 1) and back again");
        }
    }
}
