package io.understudy.plugins.blackbox.witness;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.base.NoTask;
import io.understudy.plugin.AccountUse;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogDump;
import io.understudy.plugins.binlog.BinlogEnd;
import io.understudy.plugins.binlog.BinlogFeed;
import io.understudy.plugins.binlog.BinlogListener;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.PrimaryQueries;
import io.understudy.plugins.binlog.SemiSyncReplica;
import io.understudy.plugins.blackbox.kept.BlackBox;
import io.understudy.plugins.blackbox.kept.EventRecorder;
import io.understudy.plugins.blackbox.kept.Keeping;
import io.understudy.plugins.blackbox.witness.WitnessPhases.Phase;
import io.understudy.servers.SemiSyncSource;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fills the black box over a dump connection of its own, and acknowledges to the primary, as a semi-synchronous
 * replica, what is kept there. What is not kept it does not acknowledge: it withdraws instead, so that the primary
 * waits for its other replicas or for its own time-out, and comes back by itself.
 *
 * <p>While it is present, its stream is also that of the {@link BinlogFeed}.
 *
 * <p>It comes back in two steps: it reads without being registered, from the last transaction kept up to the primary's
 * present position; then it registers, once {@link Registration} allows it, and reads on. For both streams MariaDB
 * before 11.4 reads the file of its binary log from the begin. During the second it counts the witness as a replica
 * that has acknowledged nothing: where commits do not wait without a replica
 * ({@code rpl_semi_sync_master_wait_no_slave=OFF}), they wait for as long as that takes, if no other replica is there.
 * It is asked for GTIDs nevertheless: it takes a file and a position as an acknowledgement, also of what is not on the
 * disk yet.
 *
 * <p>Events arrive on the connection's event loop; the rest runs on the plugin's executor. Fields are guarded by the
 * monitor of the phases. Nothing waits under it.
 */
public final class Witness implements BinlogListener, SemiSyncReplica, AutoCloseable {
    /** Of the black box, for one that acknowledges nothing is no witness to an operator. */
    private final Logger log;

    private static final String FUNCTION = "the witness (acknowledges what the black box keeps)";
    private static final long PAUSE_MILLIS = 100;
    private static final int ER_MASTER_FATAL = 1236;

    /** Time in which a registered stream must show the mark, if it flows by then. */
    private static final long UNMARKED_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final PluginContext context;
    private final DataSource primary;
    private final PrimaryQueries queries;
    private final BlackBox box;
    private final boolean acknowledges;
    private final Keeping keeping;
    private final BinlogFeed feed;
    private final AccountUse account;
    /** Used by the witness alone: what waits elsewhere must not delay a withdrawal. */
    private final ScheduledExecutorService executor;

    private final LongSupplier nanoClock;
    private final WitnessPhases phases;
    private final Registration registration;
    private final WitnessStream stream;
    private final List<AutoCloseable> following = new ArrayList<>();

    private @Nullable BinlogDump dump;
    /** The primary's position when the present stream began: then it has caught up. */
    private @Nullable PrimaryFacts head;

    /** Why the server at the primary's address is not read; null if it is. */
    private @Nullable String notPrimary;

    /** Whether the primary has refused the position of the last stream. */
    private volatile boolean refused;

    private boolean closed;
    private Future<?> stepping = NoTask.NONE;

    private final SilentStream silence = new SilentStream();

    /** Of the server whose stream it is. Used on the event loop, as the next. */
    private @Nullable PrimaryFacts began;
    /** What the black box has just taken, for the feed's subscribers: they need not be served before the primary. */
    private @Nullable BinlogTransaction taken;

    public Witness(
            PluginContext context,
            DataSource primary,
            PrimaryQueries queries,
            BlackBox box,
            boolean acknowledges,
            Keeping keeping,
            ScheduledExecutorService executor,
            LongSupplier nanoClock) {
        this.executor = executor;
        this.context = context;
        this.primary = primary;
        this.queries = queries;
        this.box = box;
        this.acknowledges = acknowledges;
        log = LoggerFactory.getLogger(acknowledges ? Witness.class : BlackBox.class);
        this.keeping = keeping;
        this.nanoClock = nanoClock;
        feed = BinlogFeed.of(context);
        account = context.primary().accountUse(FUNCTION);
        phases = new WitnessPhases(acknowledges, nanoClock);
        registration = new Registration(nanoClock);
        stream = new WitnessStream(box, keeping);
    }

    /** Begins. Called once. */
    public void start() {
        synchronized (phases) {
            if (closed) {
                return;
            }
            if (box.hasRestoredGap()) {
                registration.unsettled();
            }
            following.add(context.primary().onChange(() -> withDump(this::primaryChanged)));
            following.add(context.primary().onReachable(() -> withDump(BinlogDump::primaryReachable)));
        }
        comeBack();
        stepping = executor.scheduleWithFixedDelay(this::step, PAUSE_MILLIS, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Called before {@link #start} with the reason why it cannot begin yet. */
    public void cannotBegin(Withdrawal reason, String text) {
        if (phases.count(reason, text, "")) {
            log.warn(
                    "black-box: nothing is kept{} ({}): {}; {}",
                    acknowledges ? " or acknowledged" : "",
                    reason.label(),
                    text,
                    reason.remedy());
        }
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.FAULT, "nothing is kept: " + text, reason.remedy()));
    }

    private void withDump(Consumer<BinlogDump> action) {
        BinlogDump present;
        synchronized (phases) {
            present = dump;
        }
        if (present != null) {
            executor.execute(() -> action.accept(present));
        }
    }

    private void primaryChanged(BinlogDump present) {
        stream.forgetEnd();
        refused = false;
        present.primaryChanged();
    }

    /** Reads again, without being registered at first. */
    private void comeBack() {
        synchronized (phases) {
            if (closed || !phases.is(Phase.WITHDRAWN)) {
                return;
            }
            enter(Phase.CATCHING_UP);
            BinlogDump begun =
                    new BinlogDump(context.primary().separateConnector(), queries, executor, this, stream, this);
            dump = begun;
            begun.start();
        }
    }

    private void enter(Phase next) {
        phases.enter(next);
        if (next != Phase.PRESENT) {
            stream.acknowledgeTo(null);
        }
    }

    @Override
    public PrimaryFacts start(PrimaryFacts facts) throws SQLException {
        ensurePrimary(facts);
        if (box.unproven() && facts.flavor() == ServerFlavor.MARIADB) {
            box.compare(gtids());
        }
        String position = refused ? null : box.readUpTo(facts);
        stream.forgetFormerEnd(position != null);
        boolean known = position != null;
        if (!known && !refused) {
            // A log that has begun anew is read from its begin.
            position = box.isFollowing(facts)
                    ? ""
                    : LowestPosition.of(
                            context.standbys(),
                            facts.flavor(),
                            facts.flavor() == ServerFlavor.MARIADB ? gtids() : facts.position());
        }
        synchronized (phases) {
            head = facts;
            if (!known && phases.is(Phase.REGISTERING)) {
                enter(Phase.CATCHING_UP);
            }
            if (position == null) {
                position = facts.position();
                registration.unsettled();
            }
        }
        return facts.at(position);
    }

    /** A proxy that has found no primary stays with a server of its file, which may be a standby. */
    private void ensurePrimary(PrimaryFacts facts) throws SQLException {
        String why = box.isFollowing(facts) || !isReadOnly()
                ? null
                : "server_id " + facts.serverId()
                        + " is read-only, and not the server whose binary log is kept: it may be a standby";
        synchronized (phases) {
            notPrimary = why;
        }
        if (why != null) {
            throw new SQLException(why);
        }
    }

    private boolean isReadOnly() throws SQLException {
        try (ServerQueries server = ServerQueries.of(primary)) {
            return server.isReadOnly();
        }
    }

    /** A server that was built anew has what it replicated; its log need not have it. */
    private String gtids() throws SQLException {
        try (ServerQueries server = ServerQueries.of(primary)) {
            return server.text("SELECT CONCAT_WS(',', @@GLOBAL.gtid_binlog_state, @@GLOBAL.gtid_slave_pos)");
        }
    }

    @Override
    public boolean registers() {
        return phases.is(Phase.REGISTERING);
    }

    @Override
    public void onStart(PrimaryFacts facts) {
        account.works();
        began = facts;
        taken = null;
        stream.begin(facts);
        phases.streams();
    }

    @Override
    public void onTransaction(BinlogTransaction transaction) {
        EventRecorder.Outcome outcome = stream.take(transaction);
        if (outcome == null) {
            return;
        }
        if (refused) {
            refused = false;
        }
        taken = transaction;
        switch (outcome) {
            case NO_ROOM -> withdraw(Withdrawal.MEMORY, "there is no room for " + transaction.gtid());
            case PASSED_OVER, ANONYMOUS -> notKept(transaction);
            default -> {}
        }
    }

    /** One that will never be kept is passed over, and no acknowledgement may cover it while its client waits. */
    private void notKept(BinlogTransaction transaction) {
        registration.unsettled();
        if (!phases.is(Phase.CATCHING_UP)) {
            withdraw(Withdrawal.TOO_LARGE, "transaction " + transaction.gtid() + " is not kept");
        }
    }

    @Override
    public void passed(BinlogEnd at, boolean awaited) {
        stream.passed(at, awaited);
        BinlogTransaction transaction = taken;
        if (transaction != null) {
            taken = null;
            feed.lent(transaction);
        }
    }

    @Override
    public void idle(BinlogEnd at) {
        stream.idle(at);
    }

    @Override
    public void registered(Acknowledgements by, String file) {
        BinlogEnd known = stream.end();
        if (known != null && known.isBehind(file)) {
            known = null; // its files are gone: RESET MASTER
            stream.forgetEnd();
        }
        synchronized (phases) {
            if (!phases.is(Phase.REGISTERING)) {
                return;
            }
            enter(Phase.PRESENT);
            stream.acknowledgeTo(by);
            log.info("black-box: the witness acknowledges what it keeps, as a semi-synchronous replica of the primary");
        }
        if (known != null) {
            // Commits may wait for transactions that arrived before the registration, and nothing else may follow.
            stream.acknowledge(known, by);
        }
        PrimaryFacts from = began;
        if (from != null) {
            String upTo = box.readUpTo(from);
            feed.lend(upTo == null ? from : from.at(upTo));
        }
        if (!isPresent()) {
            takeBack(); // it withdrew meanwhile
        }
    }

    private void takeBack() {
        feed.takeBack("the witness reads it no more");
    }

    @Override
    public void onGap(BinlogTrouble trouble) {
        account.refused(trouble.errorCode(), trouble.cause());
        box.onGap(trouble);
        synchronized (phases) {
            if (phases.is(Phase.WITHDRAWN)) {
                return;
            }
            if (trouble.errorCode() == ER_MASTER_FATAL && stream.received() == 0) {
                refused = true; // the position is purged
            }
            String why = notPrimary;
            notPrimary = null;
            if (why != null) {
                phases.count(Withdrawal.NOT_PRIMARY, why, "");
            } else {
                phases.count(Withdrawal.CONNECTION, trouble.cause(), trouble.remedy());
            }
            enter(Phase.CATCHING_UP);
        }
        takeBack();
    }

    /** Acknowledges nothing more until it can keep again. On any thread. */
    public void withdraw(Withdrawal reason, String text) {
        stream.cutOff();
        BinlogDump ended;
        synchronized (phases) {
            if (closed) {
                return;
            }
            if (phases.is(Phase.WITHDRAWN)) {
                phases.because(reason, text);
                return;
            }
            boolean news = phases.is(Phase.PRESENT) || phases.why() != reason;
            phases.count(reason, text, "");
            phases.lacks();
            enter(Phase.WITHDRAWN);
            ended = dump;
            dump = null;
            if (news) {
                log.warn(
                        "black-box: {} ({}): {}; {}. It comes back by itself",
                        acknowledges
                                ? "the witness withdraws, and the primary waits for its other replicas or for its"
                                        + " time-out"
                                : "nothing more is kept",
                        reason.label(),
                        text,
                        reason.remedy());
            }
        }
        if (ended != null) {
            ended.stop();
        }
        takeBack();
        box.onGap(new BinlogTrouble(
                BinlogTrouble.Reason.FAULT,
                (acknowledges ? "the witness has withdrawn: " : "nothing more is kept: ") + text,
                reason.remedy()));
    }

    /** Does what is due in the present phase. Called all the time, by one thread at a time. */
    private void step() {
        try {
            switch (phases.phase()) {
                case WITHDRAWN -> {
                    if (keeping.mayContinue()) {
                        comeBack();
                    }
                }
                case CATCHING_UP -> catchUp();
                case REGISTERING -> unmarked();
                case PRESENT -> stream.repeat();
            }
        } catch (SQLException e) {
            log.debug("black-box: the primary cannot be asked about semi-synchronous replication", e);
        } catch (RuntimeException e) {
            // Thrown on, it would end the schedule.
            log.error("black-box: a fault of the witness", e);
        }
    }

    private void catchUp() throws SQLException {
        PrimaryFacts goal;
        synchronized (phases) {
            goal = head;
            if (!acknowledges || !phases.isStreaming()) {
                return;
            }
        }
        if (goal == null || box.hasReached(goal)) {
            register();
        }
    }

    /** Registers, once the primary is ready for it. */
    private void register() throws SQLException {
        SemiSyncSource source;
        long asked = nanoClock.getAsLong();
        try (ServerQueries server = ServerQueries.of(primary)) {
            source = SemiSyncSource.of(server);
        }
        synchronized (phases) {
            if (closed || !phases.is(Phase.CATCHING_UP) || !phases.isStreaming()) {
                return;
            }
            head = null;
            Registration.Obstacle obstacle = registration.obstacle(source, asked);
            if (obstacle != null) {
                told(obstacle.reason(), obstacle.text());
                return;
            }
            enter(Phase.REGISTERING);
            BinlogDump present = dump;
            if (present != null) {
                present.again();
            }
        }
    }

    private void told(Withdrawal reason, String text) {
        boolean news = phases.why() != reason;
        phases.because(reason, text);
        if (news && reason == Withdrawal.NO_SEMI_SYNC) {
            log.warn("black-box: the witness does not acknowledge: {}; {}", text, reason.remedy());
        }
    }

    /** Goes back from a registration without effect: semi-synchronous replication was switched off meanwhile. */
    private void unmarked() {
        synchronized (phases) {
            BinlogDump present = dump;
            if (phases.is(Phase.REGISTERING) && present != null && present.flows() && phases.nanos() > UNMARKED_NANOS) {
                phases.catchUpAgain();
                head = null;
            }
        }
    }

    /**
     * Called with each probe of the primary. If semi-synchronous replication is off, what comes later is acknowledged
     * all the same.
     */
    public void probed(SemiSyncSource source) {
        String dead = silence.probed(source, stream.received(), isPresent());
        if (dead != null) {
            withdraw(Withdrawal.CONNECTION, dead);
            return;
        }
        phases.semiSync(source.enabled());
    }

    public boolean isPresent() {
        return phases.isPresent();
    }

    /** See {@link WitnessPhases#isWhole}. */
    public boolean isWhole() {
        return phases.isWhole();
    }

    /** Registers the metrics of a witness that acknowledges. */
    public void meters(MeterRegistry meters) {
        Gauge.builder("understudy.witness.present", this, each -> each.isPresent() ? 1 : 0)
                .description("1 while the primary counts the proxy among its semi-synchronous replicas")
                .register(meters);
        FunctionCounter.builder("understudy.witness.acknowledged", stream, WitnessStream::acknowledged)
                .description("Transactions for which the primary waited and that the witness acknowledged")
                .register(meters);
        for (Withdrawal reason : Withdrawal.values()) {
            FunctionCounter.builder("understudy.witness.withdrawn", phases, each -> each.withdrawn(reason))
                    .tag("reason", reason.label())
                    .description("Times that the witness stopped acknowledging")
                    .register(meters);
        }
    }

    /** Returns the view for reports. */
    public Map<String, Object> view() {
        Map<String, Object> view = phases.view();
        BinlogEnd last = stream.end();
        view.put("upTo", last == null ? "" : last.file() + ":" + last.position());
        if (acknowledges) {
            view.put("acknowledged", stream.acknowledged());
        }
        return view;
    }

    @Override
    public void close() {
        BinlogDump ended;
        synchronized (phases) {
            closed = true;
            enter(Phase.WITHDRAWN);
            ended = dump;
            dump = null;
        }
        stepping.cancel(false);
        stream.cutOff();
        if (ended != null) {
            ended.stop();
        }
        takeBack();
        for (AutoCloseable each : following) {
            try {
                each.close();
            } catch (Exception e) {
                throw new IllegalStateException("a listener cannot be removed", e);
            }
        }
    }
}
