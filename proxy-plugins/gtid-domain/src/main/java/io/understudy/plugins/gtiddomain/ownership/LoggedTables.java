package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.binlog.LoggedStatement;
import io.understudy.plugins.gtiddomain.catalog.Catalog;
import io.understudy.plugins.gtiddomain.catalog.Dictionary;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.StatementSummary;
import io.understudy.sql.TableName;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/** Finds the tables in the texts of logged statements. Used by one thread. */
final class LoggedTables {
    private static final int LONGEST = 2_048;
    private static final int CACHED = 256;

    private final Dictionary dictionary;
    private final SqlAnalyzer analyzer = new SqlAnalyzer(LONGEST, CACHED);

    LoggedTables(Dictionary dictionary) {
        this.dictionary = dictionary;
    }

    StatementSummary summary(LoggedStatement statement) {
        byte[] text = statement.text().getBytes(StandardCharsets.UTF_8);
        return analyzer.summarize(text, 0, text.length, 0);
    }

    /**
     * Adds the tables that a statement writes, and those that it reads, also through views.
     *
     * @return whether these are all that a replica writes and reads for it
     */
    boolean read(LoggedStatement statement, Set<String> written, Set<String> read) {
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
