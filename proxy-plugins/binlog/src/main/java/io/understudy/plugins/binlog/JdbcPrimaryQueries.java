package io.understudy.plugins.binlog;

import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
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
        try (ServerQueries server = ServerQueries.of(source)) {
            Map<String, String> variables = server.pairs(VARIABLES);
            // Not by SHOW VARIABLES, which truncates long values.
            if (PrimaryFacts.of(variables, "", "").flavor() == ServerFlavor.MARIADB) {
                return PrimaryFacts.of(variables, server.text("SELECT @@global.gtid_binlog_state"), "");
            }
            // First those in progress: one that ends in between is then in both.
            String owned = server.text("SELECT @@global.gtid_owned");
            return PrimaryFacts.of(variables, server.text("SELECT @@global.gtid_executed"), owned);
        }
    }
}
