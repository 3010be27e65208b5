package io.understudy.cli.check;

import io.understudy.sql.AccountGrants;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The application's schemas on the primary, as visible to the monitor account.
 *
 * @param names without the server's own schemas
 * @param all whether the account sees every schema
 * @param account the monitor account, as GRANT wants it
 */
public record PrimarySchemas(List<String> names, boolean all, String account) {
    /** The primary was not queried. */
    public static final PrimarySchemas UNKNOWN = new PrimarySchemas(List.of(), false, "");

    private static final Set<String> OF_THE_SERVER = Set.of("information_schema", "performance_schema", "mysql", "sys");

    static PrimarySchemas of(CheckConnection server, String user) throws SQLException {
        List<String> names = server.all("SELECT SCHEMA_NAME FROM information_schema.SCHEMATA", 1).stream()
                .filter(name -> !OF_THE_SERVER.contains(name.toLowerCase(Locale.ROOT)))
                .sorted()
                .toList();
        AccountGrants grants = new AccountGrants(server.all("SHOW GRANTS", 1));
        return new PrimarySchemas(names, grants.hasAny("SHOW DATABASES", "SELECT"), server.account(user));
    }
}
