package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.Standby;
import io.understudy.plugins.gtiddomain.catalog.Catalog;
import io.understudy.plugins.gtiddomain.catalog.CatalogPace;
import io.understudy.plugins.gtiddomain.catalog.CatalogReader;
import io.understudy.plugins.gtiddomain.catalog.Dictionary;
import io.understudy.plugins.gtiddomain.ownership.Orphans;
import io.understudy.plugins.gtiddomain.ownership.TableOwnership;
import io.understudy.plugins.gtiddomain.progress.ApplierErrors;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.GtidPosition;
import io.understudy.plugins.gtiddomain.progress.Positions;
import io.understudy.plugins.gtiddomain.progress.Progress;
import io.understudy.plugins.gtiddomain.progress.ReplicaLag;
import io.understudy.plugins.gtiddomain.tagging.Accounts;
import io.understudy.plugins.gtiddomain.tagging.Policy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the primary's position with the standbys', reads the data dictionary when it may have changed, and settles
 * the pending writes of lost sessions. One run at a time, off the event loops. After a failed query the tables keep
 * their owners.
 */
final class PositionPoller implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(PositionPoller.class);
    private static final long APPLIERS_NANOS = 2_000_000_000L;

    private final PluginContext context;
    private final DomainIndexes indexes;
    private final Progress progress;
    private final Positions positions;
    private final Accounts accounts;
    private final Dictionary dictionary;
    private final Orphans orphans;
    private final ReplicaLag lag;
    private final ApplierErrors errors;
    private final AdviceWindow window;
    private final Supplier<Policy> policy;
    private final LongSupplier nanos;
    private final CatalogPace pace;

    private long appliersProbedAt;
    private boolean catalogRead;
    private volatile @Nullable String problem;
    private volatile boolean stopped;

    /** Probes in a row without a result. A single one is no news: the first connections may take their time. */
    private int troubles;

    PositionPoller(
            PluginContext context,
            DomainIndexes indexes,
            Progress progress,
            Positions positions,
            Accounts accounts,
            Dictionary dictionary,
            Orphans orphans,
            ReplicaLag lag,
            ApplierErrors errors,
            AdviceWindow window,
            Supplier<Policy> policy,
            LongSupplier nanos) {
        this.context = context;
        this.indexes = indexes;
        this.progress = progress;
        this.positions = positions;
        this.accounts = accounts;
        this.dictionary = dictionary;
        this.orphans = orphans;
        this.lag = lag;
        this.errors = errors;
        this.window = window;
        appliersProbedAt = nanos.getAsLong() - APPLIERS_NANOS;
        this.policy = policy;
        this.nanos = nanos;
        this.pace = new CatalogPace(nanos);
    }

    /** Returns why no handover is possible at present, or null. */
    @Nullable
    String problem() {
        return problem;
    }

    /** Called before a running probe is interrupted, so that its failure is not reported. */
    void stop() {
        stopped = true;
    }

    @Override
    public void run() {
        try {
            window.sample(nanos.getAsLong(), policy.get());
            report(poll());
        } catch (SQLException e) {
            report("the primary cannot be queried for its position: " + e.getMessage());
        } catch (RuntimeException e) {
            // An exception would end the schedule.
            report("probing positions failed: " + e);
        }
    }

    private @Nullable String poll() throws SQLException {
        DataSource primary = context.primary().dataSource();
        if (primary == null) {
            return "primary.monitor is not configured, so the guard never learns what standbys have applied";
        }
        try (Connection connection = primary.getConnection()) {
            settleOrphans(connection);
            TableOwnership ownership = policy.get().ownership;
            ownership.settle();
            dictionary.prune(name -> ownership.ownersOf(name) != 0);
            readSettings(connection);
            readCatalog(connection);
            return probePositions(connection);
        }
    }

    private @Nullable String probePositions(Connection connection) throws SQLException {
        positions.turn.lock();
        try {
            return probeStandbys(positions.primary(connection));
        } finally {
            positions.turn.unlock();
        }
    }

    private @Nullable String probeStandbys(GtidPosition primary) {
        boolean appliers = nanos.getAsLong() - appliersProbedAt >= APPLIERS_NANOS;
        if (appliers) {
            appliersProbedAt = nanos.getAsLong();
        }
        Map<String, @Nullable GtidPosition> found = new LinkedHashMap<>();
        List<GtidPosition> known = new ArrayList<>();
        String trouble = null;
        for (Standby standby : context.standbys()) {
            GtidPosition position = null;
            try (Connection connection = standby.dataSource().getConnection()) {
                position = Positions.standby(connection);
                known.add(position);
                if (appliers) {
                    errors.probe(standby.name(), connection);
                }
            } catch (SQLException | IllegalArgumentException e) {
                trouble = "standby " + standby.name() + " cannot be queried for its position: " + e.getMessage();
            }
            found.put(standby.name(), position);
        }
        lag.update(nanos.getAsLong(), primary, found);
        if (found.isEmpty()) {
            return "no standbys are configured, so nothing is ever known to be applied";
        }
        if (known.size() == found.size()) {
            progress.standbysAt(known);
        }
        return trouble;
    }

    private void readSettings(Connection connection) throws SQLException {
        String domain = Positions.one(connection, "SELECT @@global.gtid_domain_id");
        int fresh = domain == null ? DomainIndexes.DEFAULT : indexes.find(Long.parseLong(domain));
        if (fresh != accounts.freshIndex()) {
            accounts.setFreshIndex(fresh);
            if (fresh != DomainIndexes.DEFAULT) {
                log.warn(
                        "gtid-domain: the primary's global gtid_domain_id is {} but defaultDomain is {}; sessions"
                                + " are set to defaultDomain at their first write; make the two equal",
                        domain,
                        indexes.domain(DomainIndexes.DEFAULT));
            }
        }
        dictionary.setRowFormat("ROW".equals(Positions.one(connection, "SELECT @@global.binlog_format")));
    }

    private void readCatalog(Connection connection) throws SQLException {
        if (!policy.get().guarded || !pace.due(dictionary.stale())) {
            return;
        }
        long changes = dictionary.changes();
        pace.begin();
        Catalog catalog;
        try {
            catalog = CatalogReader.read(connection);
        } catch (SQLException | RuntimeException e) {
            pace.failed();
            throw e;
        }
        pace.read();
        if (!catalogRead && catalog.size() == 0) {
            log.warn(
                    "gtid-domain: the monitor account sees no tables on the primary, so that none can leave the default"
                            + " domain; grant it SELECT and TRIGGER on the schemas whose writes shall be tagged");
        }
        if (!catalogRead && catalog.hidden() > 0) {
            log.warn(
                    "gtid-domain: the monitor account may not see the text of {} triggers, views, routines or"
                            + " events, so what they write is known only once the binary log has shown it; see"
                            + " Privileges in docs/gtid-domains.md",
                    catalog.hidden());
        }
        if (!catalogRead && catalog.cut()) {
            log.warn("gtid-domain: the data dictionary has more tables, routines or the like than are read, so that"
                    + " no table leaves the default domain");
        }
        catalogRead = true;
        dictionary.learned(catalog, changes);
    }

    /** Without the PROCESS privilege other accounts' threads are invisible, which must not count as their end. */
    private void settleOrphans(Connection connection) throws SQLException {
        Collection<Long> threads = orphans.threads();
        if (threads.isEmpty() || !seesAllThreads(connection)) {
            return;
        }
        Set<Long> alive = new HashSet<>();
        try (Statement statement = Positions.statement(connection);
                ResultSet rows = statement.executeQuery("SELECT ID FROM information_schema.PROCESSLIST")) {
            while (rows.next()) {
                alive.add(rows.getLong(1));
            }
        }
        orphans.settle(alive);
    }

    private static boolean seesAllThreads(Connection connection) throws SQLException {
        return "1"
                .equals(Positions.one(
                        connection,
                        "SELECT COUNT(*) > 0 FROM information_schema.USER_PRIVILEGES WHERE PRIVILEGE_TYPE IN"
                                + " ('PROCESS', 'SUPER')"
                                + " AND GRANTEE = CONCAT('''', REPLACE(CURRENT_USER(), '@', '''@'''), '''')"));
    }

    private void report(@Nullable String trouble) {
        if (stopped) {
            return;
        }
        problem = trouble;
        if (trouble == null) {
            if (troubles > 1) {
                log.info("gtid-domain: positions are known again");
            }
            troubles = 0;
        } else if (++troubles == 2) {
            log.warn("gtid-domain: {}; until that is over no table changes its domain", trouble);
        }
    }
}
