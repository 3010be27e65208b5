package io.understudy.plugins.gtiddomain;

import io.understudy.plugins.binlog.BinlogListener;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.LoggedStatement;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.sql.NotPure;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import io.understudy.sql.TableName;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds what the binary log shows against what sessions have announced: tables that a transaction wrote and no statement named
 * become owned by its domain, stay in the default domain from then on, and are taken along by later writes of the tables
 * that were named. On the dump connection's event loop; what was found is read by any thread.
 */
final class BinlogGuard implements BinlogListener {
    private static final Logger log = LoggerFactory.getLogger(BinlogGuard.class);

    private static final String OFF = "switched off by plugins.gtid-domain.binlog";

    private final DomainSlots slots;
    private final Progress progress;
    private final Dictionary dictionary;
    private final Supplier<Policy> policies;
    private final SqlAnalyzer analyzer = new SqlAnalyzer(2_048, 256);
    private final LongAdder transactions = new LongAdder();
    private final LongAdder unseen = new LongAdder();
    private final LongAdder unreadable = new LongAdder();
    private volatile String state = "not started";

    BinlogGuard(DomainSlots slots, Progress progress, Dictionary dictionary, Supplier<Policy> policies) {
        this.slots = slots;
        this.progress = progress;
        this.dictionary = dictionary;
        this.policies = policies;
    }

    /** Whether it is read, or why not. */
    String state() {
        return state;
    }

    /** It is not asked for. */
    void off() {
        state = OFF;
    }

    long transactions() {
        return transactions.sum();
    }

    /** Writes of tables that no statement through the proxy had announced. */
    long unseen() {
        return unseen.sum();
    }

    /** Transactions whose tables could not be told: logged as statements, or compressed. */
    long unreadable() {
        return unreadable.sum();
    }

    @Override
    public void onStart(PrimaryFacts facts, boolean replaced) {
        state = "reading";
    }

    @Override
    public void onGap(BinlogTrouble trouble) {
        state = trouble.message();
    }

    @Override
    public void onTransaction(BinlogTransaction transaction) {
        transactions.increment();
        Policy policy = policies.get();
        if (!policy.guarded) {
            return;
        }
        if (transaction.kind() == TransactionKind.SCHEMA) {
            schemaChange(transaction, policy);
            return;
        }
        if (!transaction.tablesKnown()) {
            unreadable.increment();
        }
        if (!transaction.tables().isEmpty()) {
            observe(transaction, transaction.tables(), policy);
        }
    }

    /** Returns whether every table had been announced. */
    private boolean observe(BinlogTransaction transaction, Collection<String> tables, Policy policy) {
        Collection<String> families = families(tables);
        int slot = slots.find(transaction.domain());
        List<String> found = policy.ownership.logged.observe(
                families, slot, () -> progress.reached(transaction.domain(), transaction.sequence()));
        if (found.isEmpty()) {
            return true;
        }
        unseen.add(found.size());
        List<String> announced = new ArrayList<>(families);
        announced.removeAll(found);
        log.debug("{} wrote {}, which no statement named; it named {}", transaction.gtid(), found, announced);
        if (!announced.isEmpty()) {
            dictionary.expand(announced, found);
        }
        return false;
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

    private void schemaChange(BinlogTransaction transaction, Policy policy) {
        LoggedStatement statement = transaction.statement();
        StatementSummary summary = statement == null ? null : summary(statement);
        if (summary == null || !summary.kind().isDdl() && summary.kind() != StatementKind.UNKNOWN) {
            return; // GRANT, ANALYZE and the like
        }
        List<String> tables = new ArrayList<>();
        for (TableName table : summary.writes()) {
            String schema = table.schema() == null ? statement.schema() : table.schema();
            tables.add(Catalog.name(schema, table.table()));
        }
        boolean legible = summary.kind() != StatementKind.UNKNOWN && legible(summary.reason());
        boolean announced = observe(transaction, tables, policy);
        if (!legible || tables.isEmpty()) {
            unreadable.increment();
            if (!progress.reached(transaction.domain(), transaction.sequence())) {
                policy.ownership.logged.observeUnknown(slots.find(transaction.domain()));
            }
        }
        if ((!announced || tables.isEmpty() || !legible) && summary.kind() != StatementKind.TRUNCATE) {
            // By another connection than ours, or of something else than a table.
            dictionary.changed();
        }
    }

    private static boolean legible(@Nullable NotPure reason) {
        return reason != NotPure.UNPARSED && reason != NotPure.TOO_LONG && reason != NotPure.MULTI_STATEMENT;
    }

    private StatementSummary summary(LoggedStatement statement) {
        byte[] text = statement.text().getBytes(StandardCharsets.UTF_8);
        return analyzer.summarize(text, 0, text.length, 0);
    }
}
