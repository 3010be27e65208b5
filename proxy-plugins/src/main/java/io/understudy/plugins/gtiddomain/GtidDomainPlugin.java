package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugin.Standby;
import io.understudy.plugins.binlog.BinlogFeed;
import io.understudy.plugins.binlog.BinlogNeeds;
import io.understudy.plugins.binlog.BinlogSubscription;
import io.understudy.plugins.gtiddomain.catalog.Dictionary;
import io.understudy.plugins.gtiddomain.ownership.BinlogGuard;
import io.understudy.plugins.gtiddomain.ownership.HandoverListener;
import io.understudy.plugins.gtiddomain.ownership.HandoverProbes;
import io.understudy.plugins.gtiddomain.ownership.Orphans;
import io.understudy.plugins.gtiddomain.ownership.TableOwnership;
import io.understudy.plugins.gtiddomain.ownership.WaitingTables;
import io.understudy.plugins.gtiddomain.parallelism.Workload;
import io.understudy.plugins.gtiddomain.progress.AppliedTimes;
import io.understudy.plugins.gtiddomain.progress.ApplierErrors;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.LogPace;
import io.understudy.plugins.gtiddomain.progress.Positions;
import io.understudy.plugins.gtiddomain.progress.Progress;
import io.understudy.plugins.gtiddomain.progress.ReplicaLag;
import io.understudy.plugins.gtiddomain.steering.LeverObserver;
import io.understudy.plugins.gtiddomain.tagging.Accounts;
import io.understudy.plugins.gtiddomain.tagging.ConflictLog;
import io.understudy.plugins.gtiddomain.tagging.DomainMeters;
import io.understudy.plugins.gtiddomain.tagging.DomainObserver;
import io.understudy.plugins.gtiddomain.tagging.Guard;
import io.understudy.plugins.gtiddomain.tagging.Mode;
import io.understudy.plugins.gtiddomain.tagging.Policy;
import io.understudy.plugins.gtiddomain.tagging.SteeredSession;
import io.understudy.plugins.gtiddomain.tagging.TaggedRule;
import io.understudy.plugins.gtiddomain.tagging.TaggingRules;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The plugin {@code gtid-domain}: assembles its parts and follows reloads. */
public final class GtidDomainPlugin implements ProxyPlugin<GtidDomainConfig> {
    private static final Logger log = LoggerFactory.getLogger(GtidDomainPlugin.class);

    private final LongSupplier nanos;
    private final AtomicBoolean saidNoDomains = new AtomicBoolean();
    private @Nullable Steering steering;
    private @Nullable Advising advising;
    /** Null while no rule has a domain. */
    private @Nullable Running running;

    /** For the service loader. */
    public GtidDomainPlugin() {
        this(System::nanoTime);
    }

    GtidDomainPlugin(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** All parts that exist between start and stop. */
    private final class Running {
        final DomainIndexes indexes;
        final DomainMeters meters;
        final Accounts accounts = new Accounts();
        final Progress progress;
        final WaitingTables waiting;
        final HandoverProbes handoverProbes;
        final Dictionary dictionary;
        final Orphans orphans = new Orphans();
        final ReplicaLag lag;
        final AppliedTimes applied;
        final ApplierErrors errors;
        final AdviceWindow window;
        final BinlogGuard binlog;
        final @Nullable BinlogFeed feed;

        @Nullable
        BinlogSubscription reading;

        final PositionPoller poller;
        final ScheduledFuture<?> polling;
        volatile Policy policy;
        GtidDomainConfig config;

        Running(PluginContext context, GtidDomainConfig config, Workload workload) {
            this.config = config;
            indexes = new DomainIndexes(config.defaultDomain());
            meters = new DomainMeters(context.meters(), indexes);
            progress = new Progress(indexes);
            waiting = new WaitingTables(
                    progress, nanos, () -> ThreadLocalRandom.current().nextLong());
            Positions positions = new Positions(context, progress);
            handoverProbes = new HandoverProbes(
                    waiting, progress, positions::open, context.executor(), nanos, LockSupport::parkNanos);
            meters.follow(waiting, handoverProbes);
            dictionary = new Dictionary(nanos, config.learn().toNanos());
            policy = policy(config, null);
            lag = new ReplicaLag(
                    context.meters(),
                    indexes,
                    context.standbys().stream().map(Standby::name).toList());
            applied = new AppliedTimes(context, indexes, nanos);
            errors = new ApplierErrors(context.meters(), this::writersOf);
            window = new AdviceWindow(indexes, meters, progress);
            binlog = new BinlogGuard(indexes, progress, dictionary, () -> policy.ownership);
            poller = new PositionPoller(
                    context,
                    indexes,
                    progress,
                    positions,
                    accounts,
                    dictionary,
                    orphans,
                    lag,
                    errors,
                    window,
                    () -> policy,
                    nanos);
            context.publish(
                    "domains",
                    new DomainsView(
                            () -> policy,
                            indexes,
                            meters,
                            dictionary,
                            poller,
                            orphans,
                            lag,
                            errors,
                            window,
                            binlog,
                            waiting,
                            handoverProbes,
                            workload,
                            nanos));
            polling = context.executor()
                    .scheduleWithFixedDelay(poller, 0, config.poll().toMillis(), TimeUnit.MILLISECONDS);
            feed = context.primary().dataSource() == null ? null : BinlogFeed.of(context);
            if (config.binlog()) {
                join(config);
            } else {
                binlog.off();
            }
        }

        private void join(GtidDomainConfig config) {
            if (feed != null) {
                LogPace pace = new LogPace(nanos, config.poll().toNanos(), handoverProbes::running);
                reading = feed.subscribe(
                        new BinlogNeeds(id(), true, 0, pace::restNanos), new BinlogFanOut(binlog, applied, pace));
            }
        }

        private void leave() {
            BinlogSubscription left = reading;
            reading = null;
            if (left != null) {
                left.close();
            }
        }

        /** Called after a reload. */
        void reads(GtidDomainConfig before, GtidDomainConfig config) {
            if (config.binlog() && !before.binlog()) {
                join(config);
            } else if (before.binlog() && !config.binlog()) {
                leave();
                binlog.off();
            }
        }

        private List<String> writersOf(String table) {
            return indexes.labels(
                    policy.ownership.report.writersOf(dictionary.catalog().family(table)));
        }

        void stop() {
            poller.stop();
            polling.cancel(true);
            leave();
            applied.close();
        }

        Policy policy(GtidDomainConfig config, @Nullable Policy before) {
            TaggingRules tags = config.tags();
            for (TaggedRule rule : tags.rules()) {
                indexes.assign(rule.domain());
            }
            boolean simulated = config.mode() == Mode.ADVISE;
            TableOwnership.Scope scope =
                    new TableOwnership.Scope(config.maxTables(), simulated, config.guard() != Guard.OFF);
            TableOwnership ownership = before != null && before.ownership.scope().equals(scope)
                    ? before.ownership
                    : new TableOwnership(
                            progress,
                            scope,
                            simulated ? dictionary::mightLeaveDefault : dictionary::mayLeaveDefault,
                            new ConflictLog(meters, indexes, nanos, simulated),
                            simulated ? HandoverListener.IGNORED : waiting,
                            before == null ? null : before.ownership);
            return new Policy(tags, indexes, meters, ownership, dictionary);
        }
    }

    @Override
    public String id() {
        return "gtid-domain";
    }

    @Override
    public Class<GtidDomainConfig> configType() {
        return GtidDomainConfig.class;
    }

    @Override
    public void start(PluginContext context, GtidDomainConfig config) {
        Advising advice = new Advising(context, config, nanos);
        advising = advice;
        steering = new Steering(context, config, advice::view);
        running = config.usesDomains() ? new Running(context, config, advice.workload()) : null;
        if (context.primary().flavor() == ServerFlavor.MYSQL) {
            sayNoDomains();
        } else {
            log.info(
                    "gtid-domain: mode {}, guard {}, {} rules",
                    config.mode(),
                    config.guard(),
                    config.rules().size());
        }
    }

    private void sayNoDomains() {
        if (saidNoDomains.compareAndSet(false, true)) {
            log.warn("gtid-domain: the primary is a MySQL server, which has no GTID domains and whose writesets need no"
                    + " tag; the plugin does nothing");
        }
    }

    @Override
    public void reload(GtidDomainConfig config) {
        Steering levers = started();
        Running now = running;
        if (now == null) {
            if (config.usesDomains()) {
                throw new IllegalArgumentException("rules: the first rule with 'domain' takes effect after a restart");
            }
        } else {
            reload(now, config);
        }
        levers.reload(config);
        Advising advice = advising;
        if (advice != null) {
            advice.reads(config.binlog());
        }
    }

    private static void reload(Running now, GtidDomainConfig config) {
        GtidDomainConfig before = now.config;
        if (!before.defaultDomain().equals(config.defaultDomain())) {
            throw new IllegalArgumentException("defaultDomain: takes effect after a restart");
        }
        if (!before.poll().equals(config.poll()) || !before.learn().equals(config.learn())) {
            throw new IllegalArgumentException("poll, learn: take effect after a restart");
        }
        if (before.mode() == Mode.TAG && before.guard() == Guard.OFF && config.guard() != Guard.OFF) {
            throw new IllegalArgumentException(
                    "guard: cannot be switched on while running, since what was written in which"
                            + " domain was not followed; restart the proxy");
        }
        now.policy = now.policy(config, now.policy);
        now.config = config;
        now.lag.register();
        now.applied.register();
        now.reads(before, config);
    }

    @Override
    public SessionObserver openSession(SessionContext session) {
        Steering levers = started();
        levers.warn(session.flavor(), session.serverVersion());
        if (session.flavor() == ServerFlavor.MYSQL) {
            sayNoDomains();
            return SessionObserver.NONE;
        }
        Running now = running;
        if (now == null) {
            return new LeverObserver(session, levers::levers);
        }
        if (now.config.rules().isEmpty() && !now.policy.tagging) {
            return SessionObserver.NONE;
        }
        return new SteeredSession(
                new LeverObserver(session, levers::levers),
                new DomainObserver(session, () -> now.policy, now.accounts, now.meters, now.dictionary, now.orphans));
    }

    private Steering started() {
        Steering levers = steering;
        if (levers == null) {
            throw new IllegalStateException("gtid-domain is used before it was started");
        }
        return levers;
    }

    @Override
    public void stop() {
        Running now = running;
        if (now != null) {
            now.stop();
        }
        Advising advice = advising;
        if (advice != null) {
            advice.stop();
        }
    }
}
