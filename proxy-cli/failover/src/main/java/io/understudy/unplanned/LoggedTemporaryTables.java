package io.understudy.unplanned;

import io.understudy.plugin.ServerFlavor;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.SqlModes;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import io.understudy.sql.TableName;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The temporary tables of logged statements. Those created before the first one are nowhere any more. MariaDB does not
 * log a client's temporary tables while the server is read-only; MySQL does, and their end as a transaction of its own,
 * so that none is created there. Used by one thread, in the order of the log.
 */
final class LoggedTemporaryTables {
    /** Bits of MariaDB's and MySQL's {@code sql_mode}. */
    private static final int ANSI_QUOTES = 1 << 2;

    private static final int IGNORE_SPACE = 1 << 3;
    private static final int NO_BACKSLASH_ESCAPES = 1 << 20;

    private static final Pattern IF_NOT_EXISTS = Pattern.compile("(?i)(?<!\\w)IF\\s+NOT\\s+EXISTS(?!\\w)");

    private final SqlAnalyzer analyzer = new SqlAnalyzer(Integer.MAX_VALUE, 16);
    private final boolean mariaDb;
    private final Permanent permanent;
    /** Whether a table has its rows, by server, thread and name: two sessions may have tables of one name. */
    private final Map<String, Boolean> created = new HashMap<>();
    /** What the log itself creates or renames, in lower case. */
    private final Set<String> defined = new HashSet<>();

    /** Tells whether a server has a table, or a view, that is not temporary; true in doubt. */
    interface Permanent {
        boolean has(String schema, String table) throws SQLException;
    }

    LoggedTemporaryTables(ServerFlavor flavor, Permanent permanent) {
        mariaDb = flavor == ServerFlavor.MARIADB;
        this.permanent = permanent;
    }

    /** What a statement changes. */
    enum Touched {
        /** Others than temporary tables. */
        PERMANENT,
        TEMPORARY,
        /** Temporary tables that are not there: it is left out. */
        NOTHING
    }

    /**
     * Returns what a statement changes.
     *
     * @param server the number of the server that logged it
     * @throws NotApplicable if it depends on a temporary table that is not there, and changes others
     */
    Touched of(long server, LoggedQuery query) throws NotApplicable, SQLException {
        StatementSummary summary = summary(query);
        String session = server + "/" + query.thread() + "/";
        List<TableName> writes = summary.writes();
        boolean whole = missing(session, query, summary.reads()) == 0;
        if (summary.temporary() && summary.runs() == StatementKind.DROP) {
            whole = isCreated(session, query, writes);
            writes.forEach(each -> created.remove(session + full(query, each)));
            return whole ? Touched.TEMPORARY : Touched.NOTHING;
        }
        if (summary.temporary()) {
            boolean perhaps = IF_NOT_EXISTS.matcher(query.text()).find(); // with rows from before
            whole &= mariaDb && (!perhaps || isCreated(session, query, writes));
            writes.forEach(each -> created.put(session + full(query, each), false));
            if (whole && writes.size() == 1) {
                created.put(session + full(query, writes.get(0)), true);
                return Touched.TEMPORARY;
            }
            return leftOut(summary);
        }
        if (!query.ofSession()) {
            if (summary.runs().isDdl()) {
                writes.forEach(each -> defined.add(full(query, each).toLowerCase(Locale.ROOT)));
            }
            return Touched.PERMANENT;
        }
        whole &= missing(session, query, writes) == 0;
        boolean all = !writes.isEmpty() && temporary(session, query, writes) == writes.size();
        // What CREATE names may be a new table that is not temporary, whose rows a session logs as another transaction.
        boolean makes = summary.runs() == StatementKind.CREATE
                && (!whole || !all && temporary(session, query, summary.reads()) > 0);
        if (makes || !whole && !all) {
            throw notApplicable(writes);
        }
        if (whole) {
            return all ? Touched.TEMPORARY : Touched.PERMANENT;
        }
        writes.forEach(each -> created.put(session + full(query, each), false));
        return leftOut(summary);
    }

    /** A function may change other tables. */
    private static Touched leftOut(StatementSummary summary) throws NotApplicable {
        if (!summary.functions().isEmpty() || summary.writes().size() != 1 && summary.temporary()) {
            throw notApplicable(summary.writes());
        }
        return Touched.NOTHING;
    }

    private static NotApplicable notApplicable(List<TableName> tables) {
        return new NotApplicable("a statement that changes " + tables + " with a temporary table; without its CREATE in"
                + " the file, in the output of mariadb-binlog (MySQL: mysqlbinlog) put into its place what it did");
    }

    private boolean isCreated(String session, LoggedQuery query, List<TableName> tables) {
        return tables.stream().allMatch(each -> created.getOrDefault(session + full(query, each), false));
    }

    private int missing(String session, LoggedQuery query, List<TableName> tables) throws SQLException {
        return temporary(
                session,
                query,
                tables.stream()
                        .filter(each -> !created.getOrDefault(session + full(query, each), false))
                        .toList());
    }

    private int temporary(String session, LoggedQuery query, List<TableName> tables) throws SQLException {
        int count = 0;
        for (TableName each : tables) {
            count += isTemporary(session, query, each) ? 1 : 0;
        }
        return count;
    }

    private boolean isTemporary(String session, LoggedQuery query, TableName table) throws SQLException {
        String full = full(query, table);
        return created.containsKey(session + full)
                || query.ofSession()
                        && !defined.contains(full.toLowerCase(Locale.ROOT))
                        && !permanent.has(table.schema() == null ? query.schema() : table.schema(), table.table());
    }

    private static String full(LoggedQuery query, TableName table) {
        return new TableName(table.schema() == null ? query.schema() : table.schema(), table.table()).toString();
    }

    private StatementSummary summary(LoggedQuery query) {
        long modes = Long.parseUnsignedLong(query.settings().getOrDefault("sql_mode", "0"));
        int bits = (mariaDb ? SqlModes.MARIADB : SqlModes.MYSQL)
                | ((modes & ANSI_QUOTES) == 0 ? 0 : SqlModes.ANSI_QUOTES)
                | ((modes & IGNORE_SPACE) == 0 ? 0 : SqlModes.IGNORE_SPACE)
                | ((modes & NO_BACKSLASH_ESCAPES) == 0 ? 0 : SqlModes.NO_BACKSLASH_ESCAPES);
        byte[] text = query.text().getBytes(StandardCharsets.UTF_8);
        return analyzer.summarize(text, 0, text.length, bits);
    }
}
