package io.understudy.plugins.gtiddomain;

import io.understudy.base.NoTask;
import io.understudy.base.RepeatedWarning;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugins.gtiddomain.catalog.Catalog;
import io.understudy.plugins.gtiddomain.catalog.Dictionary;
import io.understudy.plugins.gtiddomain.catalog.DictionaryRefresh;
import io.understudy.plugins.gtiddomain.ownership.BinlogGuard;
import io.understudy.plugins.gtiddomain.ownership.EarlierStatements;
import io.understudy.plugins.gtiddomain.ownership.Handovers;
import io.understudy.plugins.gtiddomain.ownership.LongWaits;
import io.understudy.plugins.gtiddomain.ownership.Orphans;
import io.understudy.plugins.gtiddomain.ownership.TableOwnership;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.GtidPosition;
import io.understudy.plugins.gtiddomain.progress.LogPace;
import io.understudy.plugins.gtiddomain.progress.Positions;
import io.understudy.plugins.gtiddomain.progress.StandbyProgress;
import io.understudy.plugins.gtiddomain.steering.LeverObserver;
import io.understudy.plugins.gtiddomain.tagging.Accounts;
import io.understudy.plugins.gtiddomain.tagging.ConflictLog;
import io.understudy.plugins.gtiddomain.tagging.DomainMeters;
import io.understudy.plugins.gtiddomain.tagging.DomainObserver;
import io.understudy.plugins.gtiddomain.tagging.Guard;
import io.understudy.plugins.gtiddomain.tagging.Mode;
import io.understudy.plugins.gtiddomain.tagging.ObservedThreads;
import io.understudy.plugins.gtiddomain.tagging.Policy;
import io.understudy.plugins.gtiddomain.tagging.PrimarySettings;
import io.understudy.plugins.gtiddomain.tagging.SharedTagging;
import io.understudy.plugins.gtiddomain.tagging.SteeredSession;
import io.understudy.plugins.gtiddomain.tagging.TaggedRule;
import io.understudy.plugins.gtiddomain.tagging.TaggingRules;
import io.understudy.plugins.gtiddomain.tagging.UnobservedSessions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The action {@code domain} while a rule has a domain: assembles its parts and follows reloads. */
final class RunningDomains implements DomainAction {
    private static final Logger LOG = LoggerFactory.getLogger(RunningDomains.class);
    private static final LongSupplier NANOS = System::nanoTime;

    final DomainIndexes indexes;
    final DomainMeters meters;
    final Dictionary dictionary;
    final Orphans orphans = new Orphans();
    final StandbyProgress standbys;
    final Handovers handovers;
    final BinlogGuard binlog;
    final AdviceWindow window;
    final Poller poller;

    private final SharedTagging shared;
    private final UnobservedSessions unobserved;
    private final PrimarySettings settings;
    private final AutoCloseable primaryChanges;
    private final DictionaryRefresh refresh;
    private final LogReading log;
    private final ScheduledFuture<?> polling;
    private final PluginContext context;
    private Future<?> olderSessions = NoTask.NONE;
    /** The configuration to follow; while older sessions write unobserved, {@link #policy} only advises. */
    private volatile GtidDomainConfig config;

    private volatile Policy policy;
    /** Whether every session is observed, and what others wrote before has been read from the binary log. */
    private volatile boolean allObserved;

    /** The primary's position when the last unobserved session had ended; until the log has been read that far. */
    private @Nullable GtidPosition lastUnobserved;
    /** Of the ownership in force. */
    private volatile @Nullable EarlierStatements earlier;

    private final LongWaits waits = new LongWaits(NANOS);

    /** @param noDomains called when the primary turns out to be a MySQL server */
    RunningDomains(PluginContext context, GtidDomainConfig config, Runnable noDomains) {
        this.context = context;
        this.config = config;
        indexes = new DomainIndexes(config.defaultDomain());
        meters = new DomainMeters(context.meters(), indexes);
        dictionary = new Dictionary(NANOS, config.learn().toNanos());
        standbys = new StandbyProgress(context, indexes, this::writersOf, NANOS);
        handovers = new Handovers(context.executor(), this::probe);
        meters.follow(handovers);
        Accounts accounts = new Accounts(NANOS);
        ObservedThreads threads = new ObservedThreads();
        shared = new SharedTagging(
                accounts, meters, dictionary, orphans, threads, new RepeatedWarning(System::nanoTime));
        unobserved = new UnobservedSessions(this::policy, shared);
        policy = policy(possible(config), null);
        standbys.register(); // the rules' domains are known only now
        settings = new PrimarySettings(indexes, accounts, dictionary);
        if (context.primary().dataSource() == null) {
            accounts.setFreshIndex(DomainIndexes.DEFAULT); // nothing but the configuration tells it
        }
        primaryChanges = context.primary().onChange(settings::primaryChanged);
        refresh = new DictionaryRefresh(dictionary, NANOS);
        window = new AdviceWindow(indexes, meters);
        binlog = new BinlogGuard(
                indexes, standbys.progress(), dictionary, () -> policy.ownership, () -> allObserved, threads::contains);
        poller = new Poller(context.primary(), this::isServerUnreachable, this::beforePoll, noDomains, this::poll);
        context.publish("domains", new DomainsView(this, NANOS));
        polling = context.executor()
                .scheduleWithFixedDelay(poller, 0, config.poll().toMillis(), TimeUnit.MILLISECONDS);
        LogPace pace = new LogPace(NANOS, config.poll().toNanos());
        log = new LogReading(context, pace::restNanos, new BinlogFanOut(binlog, standbys.times(), pace), binlog::off);
        log.reads(config.binlog());
        awaitOlderSessions();
    }

    /** Returns what a configuration comes to while some sessions are not observed: their writes are unguarded. */
    private GtidDomainConfig possible(GtidDomainConfig wanted) {
        return wanted.needsEverySession() && unguarded() > 0 ? wanted.advising() : wanted;
    }

    private boolean everySessionIsObserved() {
        return config.needsObservers() && unguarded() == 0;
    }

    /** Returns the number of sessions that write unobserved. */
    private int unguarded() {
        return context.olderSessions() + unobserved.open();
    }

    private synchronized void awaitOlderSessions() {
        boolean asWanted = policy.tagging == (config.mode() == Mode.TAG);
        if (asWanted || olderSessions != NoTask.NONE) {
            return;
        }
        LOG.warn("gtid-domain: domains are counted and not set (mode advise) until the sessions have ended that began"
                + " before the plugin was added, or while it had neither rules nor mode tag: what they write is not"
                + " observed");
        long millis = config.poll().toMillis();
        olderSessions =
                context.executor().scheduleWithFixedDelay(this::tagWhenPossible, millis, millis, TimeUnit.MILLISECONDS);
    }

    private synchronized void tagWhenPossible() {
        if (unguarded() == 0) {
            olderSessions.cancel(false);
            olderSessions = NoTask.NONE;
            policy = policy(config, policy.ownership);
            LOG.info("gtid-domain: every session is observed now: mode {}", config.mode());
        }
    }

    Policy policy() {
        return policy;
    }

    /** Returns whether the configuration asks for tags. */
    boolean wantsTags() {
        return config.mode() == Mode.TAG;
    }

    /** Returns whether the server has refused the domain to some account in the last minutes. */
    boolean refused() {
        return shared.accounts().anyRefused();
    }

    private List<String> writersOf(String table) {
        return indexes.labels(
                policy.ownership.report.writersOf(dictionary.catalog().family(table)));
    }

    private void beforePoll() {
        window.sample(NANOS.getAsLong(), policy);
        settings.begin();
        shared.threads().forget();
    }

    private void followObserved(Connection primary) throws SQLException {
        GtidPosition awaited = lastUnobserved;
        if (!everySessionIsObserved()) {
            allObserved = false;
            lastUnobserved = null;
        } else if (allObserved) {
            return;
        } else if (awaited == null) {
            lastUnobserved = GtidPosition.parse(Positions.one(primary, "SELECT @@global.gtid_binlog_pos"));
        } else if (binlog.hasRead(awaited)) {
            allObserved = everySessionIsObserved();
            lastUnobserved = null;
        }
    }

    private @Nullable String poll(Connection primary) throws SQLException {
        followObserved(primary);
        orphans.settle(primary);
        Policy now = policy;
        EarlierStatements statements = earlier;
        if (statements != null) {
            statements.settle(primary);
        }
        dictionary.prune(name -> now.ownership.ownersOf(name) != 0 || now.ownership.keptInDefault(name));
        settings.read(primary);
        if (now.guarded) {
            refresh.read(primary);
        }
        String problem = standbys.probe(primary);
        now.ownership.settle();
        if (now.tagging && now.guarded) {
            waits.settle(primary, now.ownership);
        }
        if (!dictionary.stale()) {
            Catalog catalog = dictionary.catalog();
            now.ownership.makeRoom(catalog::isBaseTable);
        }
        if (problem == null && statements != null) {
            problem = statements.problem();
        }
        if (problem == null) {
            problem = now.ownership.problem();
        }
        return problem == null ? waits.problem() : problem;
    }

    private boolean isServerUnreachable() {
        return context.primary().isUnreachable()
                || context.standbys().stream()
                        .anyMatch(standby -> !standby.state().reachable());
    }

    private boolean mayLeaveDefault(String table) {
        return !binlog.gap() && dictionary.mayLeaveDefault(table);
    }

    /** Between polls, when a table that waits for a handover has no write in flight. */
    private void probe() {
        DataSource primary = context.primary().dataSource();
        if (primary != null && poller.problem() == null) {
            try (Connection connection = primary.getConnection()) {
                standbys.awaitApplied(connection);
            } catch (SQLException | RuntimeException e) {
                LOG.debug("gtid-domain: positions not probed: {}", e.toString()); // the poller warns about it
            }
        }
    }

    private Policy policy(GtidDomainConfig wanted, @Nullable TableOwnership before) {
        TaggingRules tags = wanted.tags();
        for (TaggedRule rule : tags.rules()) {
            indexes.assign(rule.domain());
        }
        boolean simulated = wanted.mode() == Mode.ADVISE;
        TableOwnership.Scope scope =
                new TableOwnership.Scope(wanted.maxTables(), simulated, wanted.guard() != Guard.OFF);
        if (before != null && before.scope().equals(scope)) {
            return new Policy(tags, indexes, meters, before, dictionary);
        }
        TableOwnership ownership = new TableOwnership(
                standbys.progress(),
                scope,
                simulated ? dictionary::mightLeaveDefault : this::mayLeaveDefault,
                new ConflictLog(meters, indexes, NANOS, simulated),
                simulated ? null : handovers,
                before);
        EarlierStatements statements = simulated ? null : new EarlierStatements(ownership, before != null, NANOS);
        Policy made = new Policy(tags, indexes, meters, ownership, dictionary);
        earlier = statements; // only of a policy that is not refused
        return made;
    }

    @Override
    public SessionObserver observe(SessionContext session, LeverObserver levers) {
        SessionObserver without = unobserved.begin(session, () -> !config.needsObservers());
        return without == null
                ? new SteeredSession(levers, new DomainObserver(session, this::policy, shared))
                : without;
    }

    @Override
    public synchronized void reload(GtidDomainConfig wanted) {
        GtidDomainConfig before = config;
        if (!before.defaultDomain().equals(wanted.defaultDomain())) {
            throw new IllegalArgumentException("defaultDomain: takes effect after a restart");
        }
        if (!before.poll().equals(wanted.poll()) || !before.learn().equals(wanted.learn())) {
            throw new IllegalArgumentException("poll, learn: take effect after a restart");
        }
        if (before.mode() == Mode.TAG && before.guard() == Guard.OFF && wanted.guard() != Guard.OFF) {
            throw new IllegalArgumentException(
                    "guard: cannot be switched on while running, since what was written in which"
                            + " domain was not followed; restart the proxy");
        }
        follow(wanted);
        if (!everySessionIsObserved()) {
            allObserved = false;
        }
        standbys.register();
        log.reads(wanted.binlog());
        awaitOlderSessions();
    }

    /** A session that begins meanwhile is observed as soon as, and as long as, one of the two wants it. */
    private void follow(GtidDomainConfig wanted) {
        GtidDomainConfig before = config;
        if (wanted.needsObservers()) {
            config = wanted;
        }
        try {
            policy = policy(possible(wanted), policy.ownership);
            config = wanted;
        } catch (RuntimeException refusal) {
            config = before;
            throw refusal;
        }
    }

    @Override
    public synchronized void stop() {
        olderSessions.cancel(false);
        poller.stop();
        polling.cancel(true);
        log.stop();
        standbys.close();
        try {
            primaryChanges.close();
        } catch (Exception e) {
            throw new IllegalStateException(e); // removing a listener does not fail
        }
    }
}
