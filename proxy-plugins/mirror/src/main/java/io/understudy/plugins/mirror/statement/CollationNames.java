package io.understudy.plugins.mirror.statement;

import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The collation names of one standby by id: logins carry only the id. Immutable. */
public final class CollationNames {
    private final Map<Integer, String> setNames;

    public CollationNames(Map<Integer, String> setNames) {
        this.setNames = Map.copyOf(setNames);
    }

    /**
     * Reads the collations of a server; blocks.
     *
     * @throws SQLException if the query fails
     */
    static CollationNames of(DataSource server) throws SQLException {
        Map<Integer, String> names = new HashMap<>();
        try (ServerQueries queries = ServerQueries.of(server)) {
            queries.each(
                    "SELECT ID, CHARACTER_SET_NAME, COLLATION_NAME FROM information_schema.COLLATIONS"
                            + " WHERE ID IS NOT NULL AND CHARACTER_SET_NAME IS NOT NULL",
                    row -> names.put(row.getInt(1), "NAMES " + row.getString(2) + " COLLATE " + row.getString(3)));
        }
        return new CollationNames(names);
    }

    /** Returns {@code NAMES x COLLATE y}, or null if the server does not know the id. */
    @Nullable
    String setNames(int collation) {
        return setNames.get(collation);
    }
}
