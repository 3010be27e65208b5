package io.understudy.unplanned;

import io.understudy.config.StandbyConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.lost.LostSource;
import io.understudy.lost.LostUnion;
import io.understudy.lost.MissingView;
import io.understudy.servers.SemiSyncVariables;
import io.understudy.switchover.AfterPromotion;
import io.understudy.switchover.ChangeOutcome;
import io.understudy.switchover.PromoteStep;
import io.understudy.switchover.PromotionUnknown;
import io.understudy.switchover.ScheduledEvent;
import io.understudy.switchover.Step;
import io.understudy.switchover.StepFailure;
import io.understudy.switchover.StepRunner;
import io.understudy.switchover.SwitchoverAccount;
import io.understudy.terminal.Table;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes a standby the primary in place of one that is dead, step by step. Each step may be repeated, so that a second
 * run goes on where one ended. Runs once, on one thread.
 */
public final class Failover implements AutoCloseable {
    private static final String LINE = System.lineSeparator() + "    ";
    /** For black boxes to read what an old primary that responds again has more. */
    private static final Duration READING = Duration.ofSeconds(15);

    private static final long PAUSE_MILLIS = 500;

    private final Takeover takeover;
    private final StepRunner runner;
    private final OtherStandbys standbys;
    private final UnderstudyConfig config;
    /** What is lost, by proxy, as of the last comparison. */
    private final Map<String, Map<String, Object>> views = new LinkedHashMap<>();

    Failover(Takeover takeover, OtherStandbys standbys, UnderstudyConfig config, PrintWriter out) {
        this.takeover = takeover;
        this.standbys = standbys;
        this.config = config;
        runner = new StepRunner(out);
    }

    /**
     * Connects to the proxies and to the standby.
     *
     * @param name the standby's
     * @throws IllegalArgumentException if the configuration lacks something; the message says what to add
     * @throws IOException if a proxy does not respond
     * @throws SQLException if the standby does not
     */
    public static Failover to(String name, UnderstudyConfig config, FailoverOptions options, PrintWriter out)
            throws IOException, SQLException, InterruptedException {
        SwitchoverAccount.ensureToken(config);
        StandbyConfig standby = config.standby(name);
        List<AskedProxy> proxies = AskedProxy.all(config, options);
        Takeover takeover = Takeover.of(standby, config, proxies, options);
        return new Failover(takeover, OtherStandbys.of(takeover, config), config, out);
    }

    /** Prints what would be done, and looks at what the standby lacks. Changes nothing. */
    public ChangeOutcome rehearse() throws InterruptedException {
        if (!runner.finish(new CheckTargetStep(takeover, true))) {
            return ChangeOutcome.NOT_PROMOTED;
        }
        if (isPrimaryAlready()) {
            return already();
        }
        boolean well = runner.finish(standbys.claim(true));
        well &= runner.finish(new OldPrimaryStep(takeover, true));
        well &= runner.finish(Step.of("look at what would be applied to " + takeover.name(), this::look));
        well &= runner.finish(
                Step.of("check that it can be applied", new MissingStep(takeover, true, runner::line)::rehearse));
        // What would be applied may be what another standby has.
        boolean whole = views.isEmpty() || LostUnion.of(views).toApply() == 0;
        well &= finishIfOthers(standbys.numbers());
        well &= !whole || finishIfOthers(standbys.compare());
        if (!well) {
            return ChangeOutcome.NOT_PROMOTED;
        }
        SemiSyncSourceStep semiSync = semiSyncSource();
        runner.finish(Step.of(semiSync.plan(), semiSync::rehearse));
        boolean events = runner.finish(Step.of("check that its scheduled events can be enabled", this::lookAtEvents));
        List<String> lost = lost(false);
        if (!lost.isEmpty()) {
            runner.line("would be lost: " + LINE + String.join(LINE, lost));
        }
        return !events ? ChangeOutcome.LEFT : lost.isEmpty() ? ChangeOutcome.DONE : ChangeOutcome.LOST;
    }

    private boolean finishIfOthers(Step step) throws InterruptedException {
        return standbys.isAlone() || runner.finish(step);
    }

    /** Returns whether nothing is left to do, and the old primary, if it is known, is a standby. */
    private boolean isPrimaryAlready() throws InterruptedException {
        try {
            if (takeover.standby().readOnly()
                    || takeover.replicates()
                    || !ScheduledEvent.disabledAsOnStandby(takeover.standby()).isEmpty()) {
                return false;
            }
            String address = takeover.pair().standbyAddress().toString();
            for (AskedProxy each : takeover.proxies()) {
                if (!address.equals(each.view().get("address"))) {
                    return false;
                }
            }
            standbys.claim(true).run(); // fails if another one is writable
            views.putAll(takeover.look(takeover.reached()));
            return !takeover.oldIsKnown() || takeover.pair().primary().readOnly();
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            return false;
        }
    }

    private ChangeOutcome already() throws InterruptedException {
        runner.line(takeover.name() + " (" + takeover.pair().standbyAddress() + ") is the primary already");
        boolean well = finishIfOthers(standbys.left());
        List<String> lost = views.isEmpty() ? new ArrayList<>() : lost(true);
        // As the run before this one has said it. The witnesses are the new primary's.
        addUnknown(lost, new OldPrimaryStep(takeover, true).more());
        if (!lost.isEmpty()) {
            runner.line("lost: " + LINE + String.join(LINE, lost));
        }
        return !well ? ChangeOutcome.LEFT : lost.isEmpty() ? ChangeOutcome.DONE : ChangeOutcome.LOST;
    }

    private static void addUnknown(List<String> lost, String ofOldPrimary) {
        if (!ofOldPrimary.isEmpty()) {
            lost.add("NOT KNOWN: " + ofOldPrimary);
        }
    }

    private String lookAtEvents() throws SQLException, StepFailure {
        List<ScheduledEvent> events = ScheduledEvent.disabledAsOnStandby(takeover.standby());
        CheckTargetStep.ensurePrivileges(takeover.standby(), events);
        return events.isEmpty() ? "it has none" : "they can";
    }

    private String look() throws SQLException, IOException, InterruptedException, StepFailure {
        Reached reached = takeover.reached();
        List<String> found = new ArrayList<>();
        String untold = takeover.untold();
        found.add(
                !reached.received().isEmpty()
                        ? "received, and to be applied first: " + reached.received()
                        : untold.isEmpty() ? "it has applied what it has received" : "NOT KNOWN: " + untold);
        Map<String, Map<String, Object>> looked = takeover.look(reached);
        views.putAll(looked);
        if (!looked.isEmpty()) {
            found.add("by the black box of " + String.join(" and ", looked.keySet())
                    + (looked.size() > 1 ? ", each transaction once: " : ": ")
                    + LostUnion.of(looked).forecast());
        }
        return String.join(LINE, found);
    }

    /** Runs all steps. */
    public ChangeOutcome run() throws InterruptedException {
        if (!runner.finish(new CheckTargetStep(takeover, true))) {
            return notPromoted();
        }
        if (isPrimaryAlready()) {
            return runner.finish(semiSyncSource()) ? already() : ChangeOutcome.LEFT;
        }
        OldPrimaryStep dead = new OldPrimaryStep(takeover, false);
        if (!runner.finish(standbys.claim(false)) || !runner.finish(dead)) {
            return notPromoted();
        }
        boolean promoted;
        try {
            promoted = takeover.promoted();
        } catch (SQLException | StepFailure e) {
            runner.line(String.valueOf(e.getMessage()));
            return notPromoted();
        }
        if (!promoted) {
            if (!finishIfOthers(standbys.numbers())) {
                return notPromoted();
            }
            ChangeOutcome failed = promote(dead);
            if (failed != null) {
                return failed;
            }
        }
        // Also behind a promotion: the old primary may have written until then.
        if (!runner.finish(compare(false))) {
            return ChangeOutcome.LEFT;
        }
        boolean semiSync = runner.finish(semiSyncSource());
        boolean well = follow() && semiSync;
        List<String> lost = lost(true);
        addUnknown(lost, dead.afterwards(!promoted && isWitnessed(views.values())));
        runner.line("lost: " + (lost.isEmpty() ? "nothing" : LINE + String.join(LINE, lost)));
        runner.line(advice(semiSync));
        return !well ? ChangeOutcome.LEFT : lost.isEmpty() ? ChangeOutcome.DONE : ChangeOutcome.LOST;
    }

    /** Applies what the standby lacks, and promotes it. Returns null if that is done. */
    private @Nullable ChangeOutcome promote(OldPrimaryStep dead) throws InterruptedException {
        // Once more: it may have come back meanwhile.
        PromoteStep.Check ready = () -> {
            runner.timed(standbys.claim(false));
            runner.timed(dead.last());
        };
        PromoteStep promotion = new PromoteStep(takeover.pair(), ready, "Run this again then");
        long ahead = 0;
        while (true) {
            if (!applyMissing(true) || !finishIfOthers(standbys.compare())) {
                return notPromoted();
            }
            try {
                runner.timed(promotion);
                return null;
            } catch (PromotionUnknown e) {
                runner.failed(promotion, e);
                return ChangeOutcome.LEFT;
            } catch (OldPrimaryAhead e) {
                long now = System.nanoTime();
                ahead = ahead == 0 ? now : ahead;
                boolean over = takeover.blackBoxes().isEmpty() || now - ahead > READING.toNanos();
                if (over && e.tells()) {
                    runner.failed(promotion, e);
                    return notPromoted();
                }
                if (over) {
                    dead.giveUp();
                }
                runner.line((e.tells() ? "the old primary responds, and has more" : e.getMessage())
                        + (over ? ": it is waited for no longer" : ": once more what the black boxes read of it"));
                Thread.sleep(PAUSE_MILLIS);
            } catch (Exception e) {
                StepRunner.rethrowInterrupt(e);
                runner.failed(promotion, e);
                return notPromoted();
            }
        }
    }

    /**
     * Applies what the standby lacks, and promotes nothing.
     *
     * @return {@link ChangeOutcome#NOTHING_LOST}, {@link ChangeOutcome#LOST} or, if that failed,
     *     {@link ChangeOutcome#NOT_PROMOTED}
     */
    public ChangeOutcome rescue() throws InterruptedException {
        if (!runner.finish(new CheckTargetStep(takeover, false)) || !applyMissing(false)) {
            return ChangeOutcome.NOT_PROMOTED;
        }
        List<String> lost = lost(true);
        runner.line("still missing: " + (lost.isEmpty() ? "nothing" : LINE + String.join(LINE, lost)));
        return lost.isEmpty() ? ChangeOutcome.DONE : ChangeOutcome.LOST;
    }

    /** @param promotes whether the standby is promoted then */
    private boolean applyMissing(boolean promotes) throws InterruptedException {
        return runner.finish(new ReceivedStep(takeover, runner::line))
                && runner.finish(new MissingStep(takeover, promotes, runner::line))
                && runner.finish(compare(true));
    }

    private ChangeOutcome notPromoted() throws InterruptedException {
        try {
            if (takeover.promoted()) {
                runner.line(takeover.name() + " was promoted before, and what FAILED is left to do");
                return ChangeOutcome.LEFT;
            }
        } catch (PromotionUnknown e) {
            runner.line("whether " + takeover.name() + " was promoted is not known: " + e.getMessage());
            return ChangeOutcome.LEFT;
        } catch (SQLException | StepFailure e) {
            // It was not, or the steps before have said why that is not known.
        }
        runner.line(takeover.name() + " was not promoted. What was applied there stays; it may be tried again");
        try {
            if (takeover.isRenumbered()) {
                runner.line("do not start its replication: docs/black-box.md, After RESET MASTER");
            } else if (takeover.replicates() && takeover.replication().isReceiverStopped() && takeover.isStartSafe()) {
                String resume =
                        takeover.replication().isStopped() ? takeover.reached().resume() : "";
                runner.line("its replication is stopped. If the old primary lives, on "
                        + takeover.pair().standbyAddress() + ": " + resume + (resume.isEmpty() ? "" : "; ")
                        + takeover.pair().dialect().start(takeover.pair().replication()));
            }
        } catch (SQLException | StepFailure e) {
            runner.line(String.valueOf(e.getMessage()));
        }
        return ChangeOutcome.NOT_PROMOTED;
    }

    /** @param whole whether all that the black boxes have must be there */
    private Step compare(boolean whole) {
        return Step.of("compare " + takeover.name() + " with the black boxes", () -> {
            Reached reached = takeover.reached();
            for (LostSource each : takeover.blackBoxes()) {
                Map<String, Object> view = each.lost(takeover.name(), reached.applied());
                views.put(each.name(), view);
                MissingView lacking = new MissingView(view);
                long left = lacking.toApply();
                if (whole && left > 0 && !lacking.isRenumbered()) {
                    throw new StepFailure(left + " transactions that the black box of " + each.name()
                            + " has are not there: understudy report lost --on " + takeover.name());
                }
            }
            return takeover.name() + " is at " + reached;
        });
    }

    private boolean follow() throws InterruptedException {
        AfterPromotion after = new AfterPromotion(takeover.pair());
        boolean well = true;
        for (AskedProxy each : takeover.proxies()) {
            well &= runner.finish(after.follow(each.control()));
            well &= runner.finish(Step.of("release sessions that " + each.name() + " holds", () -> {
                if (!each.control().held().on()) {
                    return "none are held";
                }
                each.control().release();
                return "released";
            }));
        }
        well &= runner.finish(Step.of(
                "enable the scheduled events that replication has disabled on " + takeover.name(),
                () -> after.enable(ScheduledEvent.disabledAsOnStandby(takeover.standby()))));
        well &= finishIfOthers(standbys.left());
        if (takeover.replicates()) {
            well &= runner.finish(after.forget());
        }
        return well;
    }

    /** @param applied whether what the black boxes have was to be applied before */
    private List<String> lost(boolean applied) {
        List<String> lost = new ArrayList<>();
        if (!views.isEmpty()) {
            MissingView united = LostUnion.of(views);
            lost.addAll(applied ? united.lost() : united.goneUnlessRead());
        } else {
            lost.add("NOT KNOWN: no black box was read. What the old primary's binary log has behind the new primary's"
                    + " position is lost");
        }
        for (String each : takeover.options().without()) {
            if (takeover.options().directory() != null && each.equals(own())) {
                continue;
            }
            lost.add("NOT KNOWN: what only "
                    + (isStandby(each) ? each + " has" : "the black box of " + each + " has, which was not read"));
        }
        return lost;
    }

    private SemiSyncSourceStep semiSyncSource() {
        return new SemiSyncSourceStep(takeover, views.values(), acknowledgesWhenUp());
    }

    /** Returns whether the configuration's proxy, of which only the directory is read, has a witness. */
    private boolean acknowledgesWhenUp() {
        return takeover.options().directory() != null && SwitchoverAccount.acknowledges(config);
    }

    /**
     * Returns whether clients were told of nothing that no witness has: one that is not present has acknowledged
     * nothing since, and one of a proxy that follows already is the new primary's.
     */
    static boolean isWitnessed(Collection<Map<String, Object>> views) {
        return views.stream()
                .anyMatch(each -> "present".equals(Table.map(each, "witness").get("state")));
    }

    private boolean isStandby(String name) {
        return config.standbys().stream().anyMatch(each -> each.name().equals(name));
    }

    private String own() {
        return config.admin().address().toString();
    }

    /**
     * Returns what is left to do, after everything else.
     *
     * @param semiSync whether it is as the black boxes want it
     */
    private String advice(boolean semiSync) throws InterruptedException {
        List<String> lines = new ArrayList<>();
        lines.add("the old primary must not come back writable: read_only in its option file. docs/failover.md#people,"
                + " step 6, makes it a standby");
        if (acknowledgesWhenUp()) {
            lines.add("start the proxy of the file again: until its witness or a standby is connected, commits wait for"
                    + " no acknowledgement");
        }
        Set<String> down = new LinkedHashSet<>(takeover.options().without());
        down.removeIf(this::isStandby);
        if (takeover.proxies().stream().noneMatch(each -> each.name().equals(own()))) {
            down.add(own());
        }
        if (!down.isEmpty() && !config.primary().candidates().isEmpty()) {
            String names = String.join(", ", down);
            lines.add("nobody has told " + names + " of the new primary: keep it stopped, or away from the old primary,"
                    + " until that is read-only. While both are writable it stays with the old one: what its clients"
                    + " write there is lost");
        } else if (!down.isEmpty()) {
            lines.add("what is down goes to the primary of its file when it starts: " + String.join(", ", down)
                    + ". Before that: primary: { address: " + takeover.pair().standbyAddress() + " }");
        }
        try {
            MissingView.readUpTo(present(), OldPrimaryStep.identity(takeover.standby()))
                    .ifPresent(lines::add);
            SemiSyncVariables own = takeover.standby().semiSync();
            if (semiSync && own.isOn(own.replica()) && !own.isOn(own.source())) {
                lines.add("commits wait for no acknowledgement. To have them wait, on "
                        + takeover.pair().standbyAddress() + ": " + String.join("; ", own.wait("AFTER_SYNC", 0)));
            }
        } catch (SQLException e) {
            lines.add(e.getMessage());
        }
        return "to do: " + String.join(LINE, lines);
    }

    /** Returns what the black boxes say now: they may have read on until they followed the new primary. */
    private Collection<Map<String, Object>> present() throws InterruptedException, SQLException {
        try {
            return takeover.look(takeover.reached()).values();
        } catch (IOException e) {
            return views.values();
        }
    }

    @Override
    public void close() {
        standbys.close();
        takeover.pair().close();
    }
}
