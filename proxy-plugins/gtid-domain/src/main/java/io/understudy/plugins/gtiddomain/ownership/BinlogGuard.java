package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogListener;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.LoggedStatement;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.plugins.gtiddomain.catalog.Catalog;
import io.understudy.plugins.gtiddomain.catalog.Dictionary;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.GtidPosition;
import io.understudy.plugins.gtiddomain.progress.Progress;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import io.understudy.sql.TableName;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the binary log with the announcements of sessions. Tables that a transaction wrote and no statement named
 * get its domain as an owner, stay in the default domain from then on, and are included in later writes of the named
 * tables. Called on the dump connection's event loop; the results are read by any thread.
 */
public final class BinlogGuard implements BinlogListener {
    private static final Logger log = LoggerFactory.getLogger(BinlogGuard.class);
    private static final int LONGEST_STATEMENT = 2_048;
    private static final int CACHED_STATEMENTS = 256;

    private final DomainIndexes indexes;
    private final Progress progress;
    private final Dictionary dictionary;
    private final Supplier<TableOwnership> ownerships;
    private final BooleanSupplier allAnnounce;
    private final LongPredicate observedThreads;
    private final SqlAnalyzer analyzer = new SqlAnalyzer(LONGEST_STATEMENT, CACHED_STATEMENTS);
    public final LongAdder transactions = new LongAdder();
    /** Writes to tables that no statement through the proxy had announced. */
    public final LongAdder unseen = new LongAdder();
    /**
     * Writes to tables that no statement had named, while a CALL, a function or the like was announced that may have
     * written them.
     */
    public final LongAdder unnamed = new LongAdder();
    /** Transactions past this proxy with unknown tables: texts that are cut or not understood, or compressed. */
    public final LongAdder unreadable = new LongAdder();

    private final Map<Long, Long> taggedElsewhere = new ConcurrentHashMap<>();
    private volatile String state = "not started";
    private volatile boolean read;
    private volatile boolean gap;
    private boolean follows;
    /** The server whose log is read. */
    private long serverId = -1;
    /** Sequence number of the last transaction read, by domain. */
    private final Map<Long, AtomicLong> position = new ConcurrentHashMap<>();

    /**
     * Nothing has been read.
     *
     * @param ownerships returns the one in force
     * @param allAnnounce whether every session through the proxy announces its writes: otherwise one that was not
     *     announced tells nothing
     * @param observedThreads returns whether a thread of the primary is that of a session that announces its writes
     */
    public BinlogGuard(
            DomainIndexes indexes,
            Progress progress,
            Dictionary dictionary,
            Supplier<TableOwnership> ownerships,
            BooleanSupplier allAnnounce,
            LongPredicate observedThreads) {
        this.indexes = indexes;
        this.progress = progress;
        this.dictionary = dictionary;
        this.ownerships = ownerships;
        this.allAnnounce = allAnnounce;
        this.observedThreads = observedThreads;
    }

    /** Returns whether the log is read, or the reason why not. */
    public String state() {
        return state;
    }

    /** Called when the log is not read, with the reason. */
    public void off(String why) {
        state = why;
        gap = false;
    }

    /** Returns whether the log has domains: a MariaDB server's. */
    public boolean follows() {
        return follows;
    }

    /** Returns whether transactions may be missing, because the log was read and is not at present. */
    public boolean gap() {
        return gap;
    }

    /** Returns whether the log has been read up to a position. */
    public boolean hasRead(GtidPosition upTo) {
        for (Map.Entry<Long, Long> domain : upTo.sequences().entrySet()) {
            AtomicLong sequence = position.get(domain.getKey());
            if (sequence == null || sequence.get() < domain.getValue()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void onStart(PrimaryFacts facts) {
        follows = facts.flavor() == ServerFlavor.MARIADB;
        if (!follows) {
            state = "the primary is a MySQL server, which has no GTID domains";
            gap = read;
            return;
        }
        state = "reading";
        read = true;
        serverId = facts.serverId();
        position.clear();
        GtidPosition.parse(facts.position())
                .sequences()
                .forEach((domain, sequence) -> position.put(domain, new AtomicLong(sequence)));
        if (gap) {
            // What the gap had is in no known place: until all of it is applied, no table leaves the default domain.
            ownerships.get().logged.observeUnknown(DomainIndexes.FOREIGN, 0);
            gap = false;
        }
    }

    @Override
    public void onGap(BinlogTrouble trouble) {
        state = trouble.message();
        gap = read;
    }

    @Override
    public void onTransaction(BinlogTransaction transaction) {
        transactions.increment();
        position.computeIfAbsent(transaction.domain(), domain -> new AtomicLong())
                .lazySet(transaction.sequence());
        TableOwnership ownership = ownerships.get();
        if (!ownership.scope().guarded()) {
            return;
        }
        if (transaction.kind() == TransactionKind.SCHEMA) {
            schemaChange(transaction, ownership);
            return;
        }
        if (!transaction.tables().isEmpty()) {
            observe(transaction, transaction.tables(), ownership);
        }
        if (!transaction.tablesKnown() && !announced(transaction) && !readStatements(transaction, ownership)) {
            unknownTables(transaction, ownership);
        }
    }

    /**
     * Returns whether a session announced the transaction. With rows the log need not have its thread; then it does not
     * count as announced.
     */
    private boolean announced(BinlogTransaction transaction) {
        return transaction.thread() != 0
                && transaction.serverId() == serverId
                && observedThreads.test(transaction.thread());
    }

    /**
     * Observes the tables that logged statements write, and those that they read, because replicas run them too.
     * Returns whether these are all.
     */
    private boolean readStatements(BinlogTransaction transaction, TableOwnership ownership) {
        if (!transaction.statements() || transaction.tables().size() == BinlogTransaction.MAX_TABLES) {
            return false;
        }
        boolean all = transaction.statement() != null;
        Set<String> written = new TreeSet<>();
        Set<String> read = new TreeSet<>();
        for (LoggedStatement each = transaction.statement(); each != null; each = each.next()) {
            all &= read(each, written, read);
        }
        read.removeAll(written);
        // One by one: that nobody announced one of them says nothing about the others.
        List<String> found = new ArrayList<>();
        for (String table : written) {
            found.addAll(unannounced(transaction, families(List.of(table)), ownership, true));
        }
        if (!found.isEmpty()) {
            taggedElsewhere(transaction, found);
        }
        for (String table : read) {
            unannounced(transaction, families(List.of(table)), ownership, false);
        }
        return all;
    }

    private void unknownTables(BinlogTransaction transaction, TableOwnership ownership) {
        unreadable.increment();
        if (allAnnounce.getAsBoolean() && !progress.applied(transaction.domain(), transaction.sequence())) {
            ownership.logged.observeUnknown(indexes.find(transaction.domain()), transaction.sequence());
        }
    }

    /** Returns whether every table had been announced. */
    private boolean observe(BinlogTransaction transaction, Collection<String> tables, TableOwnership ownership) {
        if (!allAnnounce.getAsBoolean()) {
            return false;
        }
        Collection<String> families = families(tables);
        List<String> found = unannounced(transaction, families, ownership, true);
        if (found.isEmpty()) {
            return true;
        }
        List<String> announced = new ArrayList<>(families);
        announced.removeAll(found);
        log.debug("{} wrote {}, which no statement named; it named {}", transaction.gtid(), found, announced);
        if (announced.isEmpty()) {
            taggedElsewhere(transaction, found);
        } else {
            dictionary.expand(announced, found);
        }
        return false;
    }

    /** Returns those of the families that no session had announced. */
    private List<String> unannounced(
            BinlogTransaction transaction, Collection<String> families, TableOwnership ownership, boolean written) {
        if (!allAnnounce.getAsBoolean()) {
            return List.of();
        }
        LoggedWrites.Found writes = ownership.logged.observe(
                families, transaction.domain(), indexes.find(transaction.domain()), transaction.sequence());
        if (written) {
            (writes.expected() ? unnamed : unseen).add(writes.tables().size());
        }
        return writes.tables();
    }

    private void taggedElsewhere(BinlogTransaction transaction, List<String> tables) {
        int index = indexes.find(transaction.domain());
        if (index == DomainIndexes.DEFAULT || index == DomainIndexes.FOREIGN) {
            return;
        }
        if (taggedElsewhere.merge(transaction.domain(), 1L, Long::sum) == 1) {
            log.warn(
                    "gtid-domain: {} wrote {} in domain {}, which a rule of this proxy uses, but did not pass"
                            + " through it, or its client chose"
                            + " the domain. Another active proxy with the same rules does so, which is right; with"
                            + " other rules a table that both write in two domains stays in the default one",
                    transaction.gtid(),
                    tables,
                    transaction.domain());
        }
    }

    /**
     * Returns the transactions in domains of the rules, by domain, whose tables no statement through this proxy had
     * announced.
     */
    public Map<Long, Long> taggedByOthers() {
        return Map.copyOf(taggedElsewhere);
    }

    private Collection<String> families(Collection<String> tables) {
        Catalog catalog = dictionary.catalog();
        if (tables.size() == 1) {
            return List.of(catalog.family(tables.iterator().next().toLowerCase(Locale.ROOT)));
        }
        Set<String> families = new TreeSet<>();
        for (String table : tables) {
            families.add(catalog.family(table.toLowerCase(Locale.ROOT)));
        }
        return families;
    }

    private void schemaChange(BinlogTransaction transaction, TableOwnership ownership) {
        LoggedStatement statement = transaction.statement();
        if (statement == null) {
            if (!announced(transaction)) {
                unknownTables(transaction, ownership);
                dictionary.changed();
            }
            return;
        }
        StatementSummary summary = summary(statement);
        if (summary == null || !summary.runs().isDdl() && summary.runs() != StatementKind.UNKNOWN) {
            return; // GRANT, ANALYZE and the like
        }
        List<String> tables = new ArrayList<>();
        for (TableName table : summary.writes()) {
            String schema = table.schema() == null ? statement.schema() : table.schema();
            tables.add(Catalog.name(schema, table.table()));
        }
        boolean legible = summary.writesListed() && statement.whole();
        boolean announced = observe(transaction, tables, ownership);
        if ((!legible || tables.isEmpty()) && !announced(transaction)) {
            unknownTables(transaction, ownership);
        }
        if ((!announced || tables.isEmpty() || !legible) && summary.runs() != StatementKind.TRUNCATE) {
            // Through another connection than the proxy's, or of another object than a table.
            dictionary.changed();
        }
    }

    private StatementSummary summary(LoggedStatement statement) {
        byte[] text = statement.text().getBytes(StandardCharsets.UTF_8);
        return analyzer.summarize(text, 0, text.length, 0);
    }

    /**
     * Adds the tables that a statement writes, and those that it reads, also through views.
     *
     * @return whether these are all that a replica writes and reads for it
     */
    private boolean read(LoggedStatement statement, Set<String> written, Set<String> read) {
        StatementSummary summary = summary(statement);
        boolean all = add(summary.writes(), statement.schema(), written, read)
                & add(summary.reads(), statement.schema(), read, read);
        String schema = statement.schema().isEmpty() ? null : statement.schema();
        boolean callsStored = !summary.functions().isEmpty() && dictionary.mayWrite(summary.functions(), schema)
                || dictionary.readMayWrite(summary.reads(), schema);
        Work work = Work.of(summary.kind(), null, summary, false, callsStored);
        return all && statement.whole() && (work == Work.NONE || work.tablesKnown());
    }

    /** Returns whether each table's schema is known. */
    private boolean add(List<TableName> tables, String schema, Set<String> named, Set<String> throughViews) {
        boolean known = true;
        for (TableName table : tables) {
            String where = table.schema() == null ? schema : table.schema();
            known &= !where.isEmpty();
            String name = Catalog.name(where, table.table());
            named.add(name);
            throughViews.addAll(dictionary.catalog().readThrough(name));
        }
        return known;
    }
}
