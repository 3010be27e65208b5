package io.understudy.plugins.binlog;

import io.understudy.plugin.ServerFlavor;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;

/** Queries the primary over JDBC. Needs no privilege. */
public final class JdbcPrimaryQueries implements PrimaryQueries {
    private static final String VARIABLES = "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('version', 'server_id',"
            + " 'server_uuid', 'log_bin', 'binlog_format', 'gtid_mode', 'gtid_binlog_pos')";

    private final DataSource source;
    private final BooleanSupplier unreachable;

    /** @param unreachable whether the primary's monitor has found, and logged, that it does not respond */
    public JdbcPrimaryQueries(DataSource source, BooleanSupplier unreachable) {
        this.source = source;
        this.unreachable = unreachable;
    }

    @Override
    public boolean isUnreachable() {
        return unreachable.getAsBoolean();
    }

    @Override
    public PrimaryFacts facts() throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            Map<String, String> variables = new HashMap<>();
            try (ResultSet rows = statement.executeQuery(VARIABLES)) {
                while (rows.next()) {
                    variables.put(rows.getString(1).toLowerCase(Locale.ROOT), String.valueOf(rows.getString(2)));
                }
            }
            boolean mariaDb = PrimaryFacts.of(variables, "").flavor() == ServerFlavor.MARIADB;
            return PrimaryFacts.of(variables, whole(statement, mariaDb ? "gtid_binlog_state" : "gtid_executed"));
        }
    }

    /** Not by SHOW VARIABLES, which truncates long values. */
    private static String whole(Statement statement, String variable) throws SQLException {
        try (ResultSet rows = statement.executeQuery("SELECT @@global." + variable)) {
            String text = rows.next() ? rows.getString(1) : null;
            return text == null ? "" : text;
        }
    }
}
