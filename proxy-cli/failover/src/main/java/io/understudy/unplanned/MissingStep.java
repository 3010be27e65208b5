package io.understudy.unplanned;

import io.understudy.config.Address;
import io.understudy.lost.LostSource;
import io.understudy.lost.RescueRecipe;
import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.GtidNumbers;
import io.understudy.servers.ReportedPosition;
import io.understudy.servers.SemiSyncVariables;
import io.understudy.switchover.Node;
import io.understudy.switchover.Privileges;
import io.understudy.switchover.Step;
import io.understudy.switchover.StepFailure;
import java.io.IOException;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Takes what the standby lacks from the black boxes of all proxies, and applies it.
 *
 * @param promotes whether the standby is promoted then; if not, it gets what it lacks from before the primary's numbers
 *     began anew, though not what was written since
 * @param progress is told what is applied so far
 */
record MissingStep(Takeover takeover, boolean promotes, Consumer<String> progress) implements Step {
    @Override
    public String plan() {
        return "apply to " + takeover.name() + " what the black boxes have and it lacks";
    }

    @Override
    public String run() throws Exception {
        if (takeover.blackBoxes().isEmpty()) {
            return "there is none: the file has no section plugins.black-box";
        }
        ServerFlavor flavor = takeover.pair().dialect().flavor();
        Reached reached = takeover.reached();
        try (MissingTransactions missing = new MissingTransactions(flavor)) {
            boolean read = false;
            boolean hadAll = true;
            Set<String> renumbered = new HashSet<>();
            Set<String> others = new HashSet<>();
            for (LostSource each : takeover.blackBoxes()) {
                // By the positions just read: nothing in relay logs counts any more.
                Map<String, Object> begun = each.rescue("failover", reached.applied(), false);
                boolean unread = Boolean.TRUE.equals(begun.get("neverRead"));
                read |= !unread;
                take(each, begun, missing);
                if (Boolean.TRUE.equals(begun.get("renumbered"))) {
                    renumbered.add(each.name());
                    hadAll &= Boolean.TRUE.equals(begun.get("hadAll"));
                } else if (!unread) {
                    others.add(each.name());
                }
            }
            if (!renumbered.isEmpty() && !others.isEmpty()) {
                throw new StepFailure("nothing was applied: the primary's numbers began anew (RESET MASTER) by the"
                        + " black box of " + renumbered + ", and that of " + others + " knows nothing of it. Without"
                        + " those: --without HOST:PORT, the admin endpoint of each");
            }
            MissingReplay replay = new MissingReplay(takeover.name(), takeover.scripts(), flavor, missing);
            List<MissingTransaction> lacking = replay.lacking(reached);
            if (lacking.isEmpty()) {
                if (renumbered.isEmpty()) {
                    resume(); // a run that was killed has not
                }
                return !read
                        ? "NOT KNOWN: they have read no primary's binary log"
                        : renumbered.isEmpty()
                                ? "nothing is missing"
                                : hadAll
                                        ? "nothing is missing from before the reset"
                                        : "NOT KNOWN: what it lacks from before the reset; none knows what it had then";
            }
            check(replay, lacking);
            long begun = System.nanoTime();
            int applied;
            try {
                applied = apply(replay, lacking.size());
            } catch (SQLException | IOException | NotApplicable e) {
                try {
                    note(lacking);
                } catch (SQLException | IOException more) {
                    e.addSuppressed(more);
                }
                throw e;
            }
            note(lacking);
            return applied + " transactions, " + lacking.get(0).gtid() + " to "
                    + lacking.get(lacking.size() - 1).gtid() + ", " + missing.bytes() + " bytes, in "
                    + (System.nanoTime() - begun) / 1_000_000 + " ms";
        } catch (SQLException e) {
            throw new StepFailure(
                    e.getMessage() + ". " + takeover.name() + " is at " + position()
                            + "; what is applied stays, and a second run goes on there." + remedy(),
                    e);
        }
    }

    /** Has the black boxes and the standby's replication know what of these is applied; also behind a failure. */
    private void note(List<MissingTransaction> lacked) throws SQLException, IOException, InterruptedException {
        Reached reached = takeover.reached();
        GtidNumbers numbers = new GtidNumbers();
        lacked.stream()
                .filter(reached::has)
                .forEach(each -> numbers.add(each.source(), each.summary().sequence()));
        try {
            for (LostSource each : takeover.blackBoxes()) {
                each.applied(takeover.name(), reached.applied(), numbers); // another one may have had them
            }
        } finally {
            resume();
        }
    }

    /** MariaDB's replication would repeat what is applied, should the old primary come back. */
    private void resume() throws SQLException {
        String resume = takeover.reached().resume();
        if (resume.isEmpty()) {
            return;
        }
        // It waits for them, and MariaDB 10.11 has crashed then. Their clients get error 1317. A new primary can do
        // without it.
        if (takeover.standby().kill("KILL QUERY", "Waiting in MASTER_GTID_WAIT") || !promotes) {
            takeover.standby().executeWithin(resume, takeover.options().timeout());
        } else {
            progress.accept("sessions of other accounts wait in MASTER_GTID_WAIT on " + takeover.name() + ", so that "
                    + resume + " is left to do there before its replication is started again");
        }
    }

    private static boolean isSome(Map<String, Object> rescue) {
        return !"0".equals(String.valueOf(rescue.get("transactions")));
    }

    /** Checks what would be applied behind what is received. Changes nothing, and no proxy remembers it. */
    String rehearse() throws Exception {
        if (takeover.blackBoxes().isEmpty() || !takeover.standby().readOnly()) {
            return "nothing would be";
        }
        ServerFlavor flavor = takeover.pair().dialect().flavor();
        ReportedPosition position = takeover.standby().ask("its position", ReportedPosition::of);
        try (MissingTransactions missing = new MissingTransactions(flavor)) {
            for (LostSource each : takeover.blackBoxes()) {
                take(each, each.rescue("failover", position, true), missing);
            }
            MissingReplay replay = new MissingReplay(takeover.name(), takeover.scripts(), flavor, missing);
            List<MissingTransaction> lacking = replay.lacking(new Reached(flavor, position));
            check(replay, lacking);
            return lacking.size() + " transactions can be";
        }
    }

    private void take(LostSource box, Map<String, Object> begun, MissingTransactions missing)
            throws IOException, InterruptedException, StepFailure {
        boolean some = isSome(begun);
        boolean skipped = Boolean.TRUE.equals(begun.get("skipped"));
        if (skipped && !promotes) {
            throw new StepFailure(
                    "nothing was applied: the primary's numbers began anew (RESET MASTER), the replication"
                            + " of " + takeover.name()
                            + " has gone on since, and has skipped some. Use another standby; what"
                            + " this one lacked before is in: understudy rescue --to FILE --on " + takeover.name());
        }
        if (promotes && Boolean.TRUE.equals(begun.get("renumbered"))) { // also if nothing of it is kept
            String name = takeover.name();
            throw new StepFailure("nothing was applied: the primary's numbers began anew (RESET MASTER), and the"
                    + " position of " + name + " does not tell what of them it has"
                    + (some && !skipped
                            ? "; besides, it lacks " + begun.get("transactions") + " transactions from before, which"
                                    + " understudy rescue --apply --on " + name + " brings it"
                            : "")
                    + ". docs/black-box.md, After RESET MASTER, has what to do");
        }
        String beyond = String.valueOf(begun.getOrDefault("survivorBeyond", ""));
        if (some && !beyond.isEmpty()) {
            throw new StepFailure("it has transactions that the old primary never had, as far as it was read (" + beyond
                    + "), so that numbers and rows may collide with those that it lacks. Decide what of them stays, or"
                    + " promote another standby; by hand: understudy rescue, docs/black-box.md");
        }
        missing.add(() -> box.part(begun));
    }

    private void check(MissingReplay replay, List<MissingTransaction> lacking)
            throws IOException, SQLException, StepFailure {
        try {
            replay.check(
                    lacking,
                    takeover.standby()
                            .ask("max_allowed_packet", server -> server.number("SELECT @@GLOBAL.max_allowed_packet")));
        } catch (NotApplicable e) {
            Address address = takeover.pair().standbyAddress();
            boolean mysql = takeover.pair().dialect().flavor() == ServerFlavor.MYSQL;
            String command = RescueRecipe.of(
                    mysql, "lost.binlog", "-h " + address.host() + " -P " + address.port() + " -u ADMIN -p");
            throw new StepFailure(
                    "nothing was applied, as " + e.getMessage()
                            + ". By hand: understudy rescue -c FILE --to lost.binlog"
                            + " --on " + takeover.name() + "; there "
                            + (mysql
                                    ? "STOP REPLICA; SET GLOBAL super_read_only=0, GLOBAL local_infile=1; " + command
                                            + "; then repeat this"
                                    : "STOP SLAVE; " + command
                                            + "; then repeat this. Each other standby needs a file of"
                                            + " its own before it follows"),
                    e);
        }
    }

    /** MySQL's super_read_only refuses every account; read_only stays on, and it comes back. */
    private int apply(MissingReplay replay, int count) throws SQLException, IOException, NotApplicable {
        Node standby = takeover.standby();
        boolean superReadOnly = Privileges.isSuperReadOnly(standby);
        if (superReadOnly) {
            // Before it is off: a run that is killed says nothing any more.
            progress.accept(takeover.name() + " stays read_only, and is without super_read_only until all is"
                    + " applied; if this is killed, and not run again, there: SET GLOBAL super_read_only=1");
            standby.execute("SET GLOBAL super_read_only=0");
        }
        try {
            waitForNobody(standby);
            return replay.apply(done -> progress.accept(done + " of " + count + " are applied"));
        } finally {
            if (superReadOnly) {
                restore(standby);
            }
        }
    }

    private void restore(Node standby) {
        try {
            standby.execute("SET GLOBAL super_read_only=1");
        } catch (SQLException e) {
            progress.accept(takeover.name() + " may be without super_read_only now (" + e.getMessage()
                    + "). Unless it is promoted, there: SET GLOBAL super_read_only=1");
        }
    }

    private String remedy() {
        String grant = "GRANT … TO the account of section switchover";
        try {
            grant = Privileges.grantOnStandby(takeover.standby(), List.of("…"));
        } catch (SQLException e) {
            progress.accept(String.valueOf(e.getMessage()));
        }
        return " If it refuses a statement for want of a privilege, there: " + grant;
    }

    /** Nobody acknowledges what is applied now. */
    private static void waitForNobody(Node standby) throws SQLException {
        SemiSyncVariables semiSync = standby.semiSync();
        if (semiSync.isOn(semiSync.source()) && semiSync.isOn(semiSync.waits())) {
            standby.execute("SET GLOBAL " + semiSync.waits() + "=0");
        }
    }

    private String position() {
        try {
            return takeover.reached().toString();
        } catch (SQLException e) {
            return "a position that it does not tell";
        }
    }
}
