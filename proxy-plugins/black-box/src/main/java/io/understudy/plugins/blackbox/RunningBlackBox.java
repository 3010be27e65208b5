package io.understudy.plugins.blackbox;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.PluginRun;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugins.binlog.BinlogDump;
import io.understudy.plugins.binlog.BinlogFeed;
import io.understudy.plugins.binlog.BinlogNeeds;
import io.understudy.plugins.binlog.BinlogSubscription;
import io.understudy.plugins.binlog.JdbcPrimaryQueries;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.PrimaryQueries;
import io.understudy.plugins.binlog.WitnessState;
import io.understudy.plugins.blackbox.history.Survivor;
import io.understudy.plugins.blackbox.kept.BlackBox;
import io.understudy.plugins.blackbox.kept.Keeping;
import io.understudy.plugins.blackbox.kept.SessionEvents;
import io.understudy.plugins.blackbox.kept.StandbyPositions;
import io.understudy.plugins.blackbox.lost.LostReport;
import io.understudy.plugins.blackbox.lost.Rescue;
import io.understudy.plugins.blackbox.lost.SparingReport;
import io.understudy.plugins.blackbox.lost.Survivors;
import io.understudy.plugins.blackbox.outcome.OutcomeFinder;
import io.understudy.plugins.blackbox.outcome.Outcomes;
import io.understudy.plugins.blackbox.outcome.OutcomesReport;
import io.understudy.plugins.blackbox.outcome.PresentOutcomes;
import io.understudy.plugins.blackbox.outcome.PrimaryOrder;
import io.understudy.plugins.blackbox.outcome.SessionTrail;
import io.understudy.plugins.blackbox.outcome.TracedTransactions;
import io.understudy.plugins.blackbox.reset.Receivers;
import io.understudy.plugins.blackbox.witness.SourceProbe;
import io.understudy.plugins.blackbox.witness.Withdrawal;
import io.understudy.plugins.blackbox.witness.Witness;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The work of {@link BlackBoxPlugin} from its start to its stop: what fills the black box, empties it and reports. */
final class RunningBlackBox implements PluginRun<BlackBoxConfig> {
    private static final Logger log = LoggerFactory.getLogger(RunningBlackBox.class);
    private static final long SIGHTINGS_MILLIS = 50;
    private static final long WATCH_MILLIS = 100;
    private static final long SOURCE_MILLIS = 500;
    private static final long OUTCOMES_MILLIS = 100;
    /** Parameter of an action that is to change nothing. */
    private static final String LOOK = "look";

    static final String DOUBT = "what clients were told after the last transaction that is kept: no witness was present"
            + " when the primary's binary log ended, for it had withdrawn, or its proxy was not running. Within the"
            + " primary's semi-synchronous time-out after that nothing was told, unless the end of the log is gone: if"
            + " it was written with acknowledge: memory, and its machine lost power";

    private static final String SILENT =
            "the primary does not respond, though the connection for its binary log is open: it may be frozen";

    private final BlackBox box;
    private final SessionEvents sessionEvents;
    private final Receivers receivers = new Receivers();
    private final PluginContext context;
    private final BlackBoxConfig config;
    private final List<Future<?>> tasks = new ArrayList<>();
    private final DataSource primary;
    private final PrimaryQueries asked;
    private BinlogSubscription binlog = BinlogSubscription.NONE;
    private final WitnessState shared;
    private final PrimaryOrder order = new PrimaryOrder(System::nanoTime);
    private final Outcomes named = new Outcomes();
    private final OutcomeFinder.Looks looks;
    private final OutcomeFinder finder;
    private AutoCloseable following = () -> {};
    private @Nullable Witness witness;
    private @Nullable KeptInLog kept;
    private @Nullable ScheduledExecutorService timers;
    private @Nullable SourceProbe source;
    /** Whether the primary does not respond; as of a moment ago, for the time at which another one follows. */
    private volatile boolean gone;

    RunningBlackBox(PluginContext context, BlackBoxConfig config) {
        this.context = context;
        this.config = config;
        primary = Objects.requireNonNull(context.primary().dataSource(), "there is no account of primary.monitor");
        asked = new JdbcPrimaryQueries(primary, context.primary()::isUnreachable);
        box = new BlackBox(config.memory().bytes(), !acknowledges(), System::nanoTime);
        sessionEvents = new SessionEvents(box, this::readAnew);
        shared = WitnessState.of(context);
        looks = OutcomeFinder.looks(context, System::nanoTime);
        finder = new OutcomeFinder(
                context,
                looks,
                box.traces(),
                order,
                box.outcomes(),
                sessionEvents,
                this::readAgain,
                box::keep,
                System::nanoTime);
    }

    /** A witness waits for two seconds at most by itself. */
    private void readAgain() {
        if (witness == null) {
            BinlogFeed.of(context).primaryReachable();
        }
    }

    private boolean acknowledges() {
        return config.acknowledge() != BlackBoxConfig.Acknowledge.OFF;
    }

    @Override
    public void start() {
        meters();
        publish();
        following = context.primary().onChange(() -> {
            order.changed();
            if (context.primary().mayFollow()) {
                box.primaryChanged(box.streaming() && !gone ? null : doubt());
            }
        });
        repeat(() -> gone = context.primary().isUnreachable(), WATCH_MILLIS);
        repeat(finder, OUTCOMES_MILLIS);
        repeat(sessionEvents, SIGHTINGS_MILLIS);
        StandbyPositions positions = new StandbyPositions(context, box, asked, receivers, this::readAnew);
        repeat(positions, config.poll().toMillis());
        Gauge.builder("understudy.black.box.renumbered", positions, each -> each.areRenumbered() ? 1 : 0)
                .description("1 while it is not known what a standby has, since the primary's numbers began anew"
                        + " (RESET MASTER)")
                .register(context.meters());
        measureSync();
        if (acknowledges() || config.directory() != null) {
            startWitness();
            return;
        }
        // Bytes that arrive during a rest are safe in the kernel's buffers, even if the primary dies meanwhile.
        binlog = BinlogFeed.of(context)
                .subscribe(new BinlogNeeds(BlackBoxPlugin.ID, false, 0, BinlogDump.REST::toNanos, box), box);
    }

    private void readAnew() {
        String why = "the primary's binary log has begun anew, and the open stream brings nothing of it";
        Witness reading = witness;
        if (reading == null) {
            BinlogFeed.of(context).readAnew(why);
        } else {
            reading.withdraw(Withdrawal.CONNECTION, why);
        }
    }

    private void startWitness() {
        // Two: one may wait for the primary while the other withdraws.
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(2, task -> {
            Thread thread = new Thread(task, "witness-timer");
            thread.setDaemon(true);
            return thread;
        });
        timers = timer;
        KeptInLog inLog =
                config.directory() == null ? null : new KeptInLog(box, config, context.clock(), System::nanoTime);
        Witness begun = new Witness(
                context,
                primary,
                asked,
                box,
                acknowledges(),
                inLog == null ? Keeping.inMemory(box) : inLog,
                timer,
                System::nanoTime);
        witness = begun;
        if (acknowledges()) {
            tell(begun);
        }
        context.publish("witness", this::witnessView);
        if (inLog == null) {
            begun.start();
        } else {
            kept = inLog;
            inLog.start(begun);
            tasks.add(timer.scheduleWithFixedDelay(inLog::watch, WATCH_MILLIS, WATCH_MILLIS, TimeUnit.MILLISECONDS));
        }
    }

    /** What operators and other plugins see of a witness that acknowledges. */
    private void tell(Witness begun) {
        begun.meters(context.meters());
        SourceProbe probe = new SourceProbe(primary, begun::probed);
        source = probe;
        repeat(probe, SOURCE_MILLIS);
        shared.witness(new WitnessState.Witness() {
            @Override
            public boolean isPresent() {
                return begun.isPresent();
            }

            @Override
            public boolean holdsAll() {
                return box.holdsAll();
            }
        });
    }

    private Map<String, Object> witnessView() {
        Witness begun = witness;
        if (begun == null) {
            return Map.of();
        }
        Map<String, Object> view = begun.view();
        view.put("mode", config.acknowledge().name().toLowerCase(Locale.ROOT));
        SourceProbe probe = source;
        if (probe != null) {
            probe.addTo(view);
        }
        return view;
    }

    /** Returns the view of a witness that acknowledges; empty without one. */
    private Map<String, Object> acknowledging() {
        return acknowledges() ? witnessView() : Map.of();
    }

    /** Returns why clients may have been told of what is not kept, if the primary's log has ended; null if not. */
    private @Nullable String doubt() {
        Witness begun = witness;
        return begun == null || source == null ? box.restoredEnd() : begun.isWhole() ? null : DOUBT;
    }

    /** For the prediction of what acknowledging from disk would cost. */
    private void measureSync() {
        Path directory = config.directory();
        if (directory == null) {
            return;
        }
        tasks.add(context.executor()
                .schedule(
                        () -> {
                            try {
                                shared.sync(KeptInLog.syncTime(directory));
                            } catch (IOException e) {
                                log.debug("black-box: the time of a write to {} is not known", directory, e);
                            }
                        },
                        SOURCE_MILLIS,
                        TimeUnit.MILLISECONDS));
    }

    private void repeat(Runnable task, long millis) {
        tasks.add(context.executor().scheduleWithFixedDelay(task, millis, millis, TimeUnit.MILLISECONDS));
    }

    private void meters() {
        Gauge.builder("understudy.black.box.transactions", box, BlackBox::transactions)
                .description("Transactions kept because some standby has not applied them")
                .register(context.meters());
        Gauge.builder("understudy.black.box.bytes", box, BlackBox::bytes)
                .description("Bytes that the kept transactions take")
                .register(context.meters());
        Gauge.builder("understudy.black.box.reading", box, each -> each.streaming() ? 1 : 0)
                .description("1 while the primary's binary log is read and kept")
                .register(context.meters());
        FunctionCounter.builder("understudy.black.box.dropped", box, BlackBox::dropped)
                .description("Transactions dropped for want of room before every standby had applied them")
                .register(context.meters());
    }

    private void publish() {
        Survivors survivors = new Survivors(context, box);
        LostReport report = new LostReport(
                box,
                sessionEvents,
                box.outcomes(),
                this::silence,
                context.clock(),
                System::nanoTime,
                this::acknowledging,
                this::doubt,
                this::isAlive);
        box.presentPrimary(
                name -> name.equals(Survivors.PRIMARY)
                        || context.standbys().stream()
                                .anyMatch(
                                        each -> each.isPrimary() && each.name().equals(name)),
                () -> gone);
        Rescue rescue = new Rescue(box, this::silence, report::notKnown);
        context.publish("lost", new SparingReport(() -> report.of(survivors.choose()), System::nanoTime));
        context.publishAction(
                "lost", Survivors.PARAMETERS, parameters -> report.of(survivors.fromParameters(parameters)));
        context.publishAction(
                "lost/look",
                Survivors.PARAMETERS,
                parameters -> report.unrecorded(survivors.fromParameters(parameters)));
        OutcomesReport outcomes = new OutcomesReport(
                box.outcomes(),
                named,
                new PresentOutcomes(order, looks, box::unproven, context.clock(), System::nanoTime),
                new TracedTransactions(
                        box.traces(), looks, order, context.clock().instant(), System::nanoTime),
                context.clock());
        context.publishQuery("outcomes", OutcomesReport.PARAMETERS, outcomes::of);
        Set<String> looking = new HashSet<>(Survivors.PARAMETERS);
        looking.add(LOOK);
        context.publishAction("lost/compared", looking, parameters -> {
            Survivor survivor = survivors.named(server(parameters));
            box.compared(survivor, present(), parameters.containsKey(LOOK));
            if (!parameters.containsKey(LOOK)) {
                receivers.compared(survivor.server());
            }
            return report.of(survivor);
        });
        Set<String> numbered = new HashSet<>(Survivors.PARAMETERS);
        numbered.add(LostReport.NUMBERS);
        context.publishAction(
                "lost/applied",
                numbered,
                parameters -> report.applied(
                        survivors.fromParameters(server(parameters)), parameters.getOrDefault(LostReport.NUMBERS, "")));
        context.publishAction("lost/rescue", looking, parameters -> {
            sessionEvents.run();
            return rescue.begin(survivors.fromParameters(server(parameters)), !parameters.containsKey(LOOK));
        });
        context.publishAction("lost/rescue/{number}", parameters -> {
            String number = parameters.getOrDefault("number", "");
            try {
                return rescue.part(Integer.parseInt(number));
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("the number of a rescue is wanted, not " + number, e);
            }
        });
    }

    /** Returns the parameters that name a server. */
    private static Map<String, String> server(Map<String, String> parameters) {
        Map<String, String> server = new HashMap<>(parameters);
        server.remove(LOOK);
        server.remove(LostReport.NUMBERS);
        return server;
    }

    /** Returns what the primary says of itself; null if it does not respond. */
    private @Nullable PrimaryFacts present() {
        try {
            return asked.isUnreachable() ? null : asked.facts();
        } catch (SQLException e) {
            log.debug("black-box: the primary does not say up to where its log is", e);
            return null;
        }
    }

    /** Returns whether the server whose log was read last responds, is the primary still, and has what was read. */
    private boolean isAlive() {
        PrimaryFacts now = present();
        return now != null && box.readUpTo(now) != null;
    }

    /** The stream from a frozen primary stays open. */
    private @Nullable String silence() {
        try (Connection connection = primary.getConnection()) {
            return connection.isValid(1) ? null : SILENT;
        } catch (SQLException e) {
            log.debug("black-box: the primary does not respond to a report", e);
            return SILENT;
        }
    }

    @Override
    public void reload(BlackBoxConfig next) {
        throw new IllegalArgumentException("no key can change while the proxy runs; they take effect after a restart");
    }

    @Override
    public SessionObserver openSession(SessionContext session) {
        SessionTrail trail = new SessionTrail(session, box.traces(), named, context.clock(), System::nanoTime);
        return new BlackBoxObserver(session, sessionEvents, trail, finder);
    }

    @Override
    public void stop() {
        binlog.close();
        shared.witness(null);
        if (witness != null) {
            witness.close();
        }
        if (kept != null) {
            kept.close();
        }
        if (timers != null) {
            timers.shutdownNow();
        }
        tasks.forEach(task -> task.cancel(false));
        finder.close();
        stopFollowing();
        box.close();
    }

    private void stopFollowing() {
        try {
            following.close();
        } catch (Exception e) {
            throw new IllegalStateException("a listener cannot be removed", e);
        }
    }
}
