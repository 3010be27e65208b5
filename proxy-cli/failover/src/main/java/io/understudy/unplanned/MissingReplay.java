package io.understudy.unplanned;

import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.ReportedPosition;
import io.understudy.servers.ServerQueries;
import io.understudy.sql.Quoting;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * Applies missing transactions to a server in their order, each under its own GTID. Those that it has are left out, so
 * that it may run again. Used by one thread.
 */
final class MissingReplay {
    /** Characters of a text of several statements, where none is longer. */
    private static final int BATCH = 1 << 20;
    /** The servers' response to it says that it is the last one of its text, so it has to be. */
    private static final String LAST = "BINLOG ";

    private static final int TOLD_EACH = 1_000;
    private static final int NO_SUCH_TABLE = 1146;
    /** Class of SQLSTATE. */
    private static final String CONNECTION_LOST = "08";

    private static final String DENIED = "42000";

    /** Only one program may apply transactions. It ends with the connection. */
    private static final String LOCK = "SELECT GET_LOCK('understudy_missing_transactions', 5)";

    private final String server;
    private final DataSource target;
    private final ServerFlavor flavor;
    private final MissingTransactions missing;
    /** Whether the server has tables of these quoted names. */
    private final Map<String, Boolean> permanent = new HashMap<>();

    /**
     * @param server its name, for messages
     * @param target of connections that take several statements in a text
     */
    MissingReplay(String server, DataSource target, ServerFlavor flavor, MissingTransactions missing) {
        this.server = server;
        this.target = target;
        this.flavor = flavor;
        this.missing = missing;
    }

    /** Returns those that a server at a position lacks. */
    List<MissingTransaction> lacking(Reached position) {
        return missing.all().stream().filter(each -> !position.has(each)).toList();
    }

    /**
     * Ensures that each can be applied by a session, and fits into a packet.
     *
     * @throws NotApplicable if one cannot: then none may be applied
     */
    void check(List<MissingTransaction> lacking, long maxPacket) throws NotApplicable, IOException, SQLException {
        TransactionStatements statements = new TransactionStatements(flavor, this::isPermanent);
        for (MissingTransaction each : lacking) {
            for (String sql : statements.of(each, missing.events(each))) {
                if (sql.length() * 3L >= maxPacket && bytes(sql) >= maxPacket) {
                    throw new NotApplicable(each.gtid() + " has a statement of " + bytes(sql)
                            + " bytes, more than max_allowed_packet (" + maxPacket + ") of " + server
                            + ": SET GLOBAL max_allowed_packet=1073741824 there, and try again");
                }
            }
        }
    }

    /** As of the check: what is applied since may have changed it. */
    private boolean isPermanent(String schema, String table) throws SQLException {
        String name = Quoting.name(schema, table);
        Boolean known = permanent.get(name);
        if (known == null) {
            known = has(name);
            permanent.put(name, known);
        }
        return known;
    }

    /** Asked without information_schema, which hides what the account may not use. */
    private boolean has(String name) throws SQLException {
        try (Connection connection = target.getConnection();
                Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute("SELECT 1 FROM " + name + " LIMIT 0");
            return true;
        } catch (SQLException e) {
            String state = String.valueOf(e.getSQLState());
            if (state.startsWith(CONNECTION_LOST) || state.equals(DENIED)) {
                throw e;
            }
            return e.getErrorCode() != NO_SUCH_TABLE;
        }
    }

    private static long bytes(String sql) {
        return sql.getBytes(java.nio.charset.StandardCharsets.UTF_8).length;
    }

    /**
     * Applies them. Returns how many.
     *
     * @param progress is told how many are applied
     * @throws SQLException if the server refuses one or does not respond: those before it are applied
     */
    int apply(Consumer<Integer> progress) throws SQLException, IOException, NotApplicable {
        try (Connection connection = target.getConnection()) {
            ServerQueries queries = new ServerQueries(connection);
            if (queries.number(LOCK) != 1) {
                throw new SQLException("another connection applies missing transactions to " + server
                        + ": SELECT IS_USED_LOCK('understudy_missing_transactions') there has its number. Wait for that"
                        + " program, or KILL its connection, and try again");
            }
            // The driver closes a connection that it sees leave UTF-8.
            queries.execute("SET SESSION session_track_system_variables=''");
            List<MissingTransaction> lacking = lacking(new Reached(flavor, ReportedPosition.of(queries)));
            TransactionStatements statements = new TransactionStatements(flavor, this::isPermanent);
            StringBuilder batch = new StringBuilder();
            for (int i = 0; i < lacking.size(); i++) {
                if (i > 0 && i % TOLD_EACH == 0) {
                    progress.accept(i);
                }
                MissingTransaction each = lacking.get(i);
                for (String sql : statements.of(each, missing.events(each))) {
                    if (batch.length() + sql.length() > BATCH) {
                        execute(connection, batch);
                    }
                    batch.append(sql).append("\n;");
                    if (sql.startsWith(LAST)) {
                        execute(connection, batch);
                    }
                }
            }
            execute(connection, batch);
            return lacking.size();
        }
    }

    private static void execute(Connection connection, StringBuilder batch) throws SQLException {
        if (batch.length() == 0) {
            return;
        }
        try (Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute(batch.toString());
            while (statement.getMoreResults() || statement.getUpdateCount() >= 0) {}
        } catch (SQLException e) {
            throw explained(connection, e);
        }
        batch.setLength(0);
    }

    /** MySQL's response to BINLOG is "Unknown error"; its reason is in the warnings. */
    private static SQLException explained(Connection connection, SQLException failure) {
        try {
            StringJoiner reasons = new StringJoiner("; ");
            reasons.add(String.valueOf(failure.getMessage()));
            new ServerQueries(connection)
                    .named("SHOW WARNINGS").stream()
                            .map(row -> row.getOrDefault("message", ""))
                            .filter(reason ->
                                    !String.valueOf(failure.getMessage()).contains(reason))
                            .forEach(reasons::add);
            return new SQLException(reasons.toString(), failure.getSQLState(), failure.getErrorCode(), failure);
        } catch (SQLException e) {
            return failure;
        }
    }
}
