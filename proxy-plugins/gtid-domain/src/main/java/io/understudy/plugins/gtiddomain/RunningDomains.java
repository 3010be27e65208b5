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
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.GtidPosition;
import io.understudy.plugins.gtiddomain.progress.LogPace;
import io.understudy.plugins.gtiddomain.progress.StandbyProgress;
import io.understudy.plugins.gtiddomain.steering.LeverObserver;
import io.understudy.plugins.gtiddomain.tagging.Accounts;
import io.understudy.plugins.gtiddomain.tagging.DomainMeters;
import io.understudy.plugins.gtiddomain.tagging.DomainObserver;
import io.understudy.plugins.gtiddomain.tagging.ObservedThreads;
import io.understudy.plugins.gtiddomain.tagging.Policy;
import io.understudy.plugins.gtiddomain.tagging.PrimarySettings;
import io.understudy.plugins.gtiddomain.tagging.SharedTagging;
import io.understudy.servers.ServerQueries;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The action {@code domain} while a rule has a domain: assembles its parts, and polls the primary and the standbys. */
final class RunningDomains {
    private static final Logger log = LoggerFactory.getLogger(RunningDomains.class);
    private static final LongSupplier NANOS = System::nanoTime;

    private final PluginContext context;
    private final SharedTagging shared;
    final DomainIndexes indexes;
    final DomainMeters meters;
    final Accounts accounts;
    final Dictionary dictionary;
    final Orphans orphans = new Orphans();
    final StandbyProgress standbys;
    final Handovers handovers;
    final BinlogGuard binlog;
    /** Earlier values of the counters. */
    final AdviceWindow window;

    final PolicyInForce policies;
    private final PrimarySettings settings;
    private final DictionaryRefresh refresh;
    private final Poller poller;
    private final LogReading reading;
    private final LongWaits waits = new LongWaits(NANOS);
    private AutoCloseable primaryChanges = () -> {};
    private Future<?> polling = NoTask.NONE;

    /** Whether every session is observed, and what others wrote before has been read from the binary log. */
    private volatile boolean allObserved;

    /** The primary's position when the last unobserved session had ended; until the log has been read that far. */
    private @Nullable GtidPosition lastUnobserved;

    /** @param noDomains called when the primary turns out to be a MySQL server */
    RunningDomains(PluginContext context, GtidDomainConfig config, Runnable noDomains) {
        this.context = context;
        indexes = new DomainIndexes(config.defaultDomain());
        meters = new DomainMeters(context.meters(), indexes);
        accounts = new Accounts(NANOS);
        dictionary = new Dictionary(NANOS, config.learn().toNanos());
        standbys = new StandbyProgress(context, indexes, this::writersOf, NANOS);
        handovers = new Handovers(context.executor(), this::probe);
        ObservedThreads threads = new ObservedThreads();
        shared = new SharedTagging(accounts, meters, dictionary, orphans, threads, new RepeatedWarning(NANOS));
        policies = new PolicyInForce(context, config, this, NANOS);
        binlog = new BinlogGuard(
                indexes, standbys.progress, dictionary, () -> policy().ownership, () -> allObserved, threads::contains);
        window = new AdviceWindow(indexes, meters);
        settings = new PrimarySettings(indexes, accounts, dictionary);
        refresh = new DictionaryRefresh(dictionary, NANOS);
        poller = new Poller(context.primary(), this::isServerUnreachable, this::beforePoll, noDomains, this::poll);
        LogPace pace = new LogPace(NANOS, config.poll().toNanos());
        reading = new LogReading(context, binlog, standbys.times, pace);
    }

    void start() {
        meters.follow(handovers);
        standbys.register(); // the rules' domains are known only now
        if (context.primary().dataSource() == null) {
            // Nothing but the configuration tells it.
            accounts.setFreshIndex(DomainIndexes.DEFAULT);
        }
        primaryChanges = context.primary().onChange(settings::primaryChanged);
        context.publish("domains", new DomainsView(this, NANOS));
        long millis = policies.config().poll().toMillis();
        polling = context.executor().scheduleWithFixedDelay(poller, 0, millis, TimeUnit.MILLISECONDS);
        reading.reads(policies.config().binlog());
        policies.awaitOlderSessions();
    }

    private Policy policy() {
        return policies.policy();
    }

    /** Returns why no handover is possible at present, or null. */
    @Nullable
    String problem() {
        return poller.problem();
    }

    private List<String> writersOf(String table) {
        String family = dictionary.catalog().family(table);
        return indexes.labels(policy().ownership.report.writersOf(family));
    }

    private void beforePoll() {
        window.sample(NANOS.getAsLong(), policy());
        settings.begin();
        shared.threads().forget();
    }

    private void followObserved(Connection primary) throws SQLException {
        GtidPosition awaited = lastUnobserved;
        if (!policies.everySessionIsObserved()) {
            allObserved = false;
            lastUnobserved = null;
        } else if (allObserved) {
            return;
        } else if (awaited == null) {
            lastUnobserved = GtidPosition.parse(ServerQueries.brief(primary).first("SELECT @@global.gtid_binlog_pos"));
        } else if (binlog.hasRead(awaited)) {
            allObserved = policies.everySessionIsObserved();
            lastUnobserved = null;
        }
    }

    private @Nullable String poll(Connection primary) throws SQLException {
        followObserved(primary);
        orphans.settle(primary);
        Policy now = policy();
        EarlierStatements statements = policies.earlier();
        if (statements != null) {
            statements.settle(primary);
        }
        dictionary.prune(name -> now.ownership.ownersOf(name) != 0 || now.ownership.kept(name) != null);
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

    boolean mayLeaveDefault(String table) {
        return !binlog.gap() && dictionary.mayLeaveDefault(table);
    }

    /** Between polls, when a table that waits for a handover has no write in flight. */
    private void probe() {
        DataSource primary = context.primary().dataSource();
        if (primary != null && poller.problem() == null) {
            try (Connection connection = primary.getConnection()) {
                standbys.awaitApplied(connection);
            } catch (SQLException | RuntimeException e) {
                log.debug("gtid-domain: positions not probed: {}", e.toString()); // the poller warns about it
            }
        }
    }

    /** Returns the observer of a session, which is not a MySQL server's, with its levers. */
    SessionObserver observe(SessionContext session, LeverObserver levers) {
        return new DomainObserver(session, this::policy, shared, levers);
    }

    /** Follows a reload, or throws and leaves all as it was. */
    void reload(GtidDomainConfig wanted) {
        policies.reload(wanted);
        if (!policies.everySessionIsObserved()) {
            allObserved = false;
        }
        standbys.register();
        reading.reads(wanted.binlog());
        policies.awaitOlderSessions();
    }

    void stop() {
        policies.stop();
        poller.stop();
        polling.cancel(true);
        reading.stop();
        standbys.close();
        try {
            primaryChanges.close();
        } catch (Exception e) {
            throw new IllegalStateException(e); // removing a listener does not fail
        }
    }
}
