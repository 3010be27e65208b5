package io.understudy.plugins.mirror;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The collation names of one standby by id: logins carry only the id. Immutable. */
final class CollationNames {
    private final Map<Integer, String> setNames;

    CollationNames(Map<Integer, String> setNames) {
        this.setNames = Map.copyOf(setNames);
    }

    /**
     * Reads the collations of a server; blocks.
     *
     * @throws SQLException if the query fails
     */
    static CollationNames of(DataSource server) throws SQLException {
        Map<Integer, String> names = new HashMap<>();
        try (Connection connection = server.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT ID, CHARACTER_SET_NAME, COLLATION_NAME FROM information_schema.COLLATIONS"
                                + " WHERE ID IS NOT NULL AND CHARACTER_SET_NAME IS NOT NULL")) {
            while (rows.next()) {
                names.put(rows.getInt(1), "NAMES " + rows.getString(2) + " COLLATE " + rows.getString(3));
            }
        }
        return new CollationNames(names);
    }

    /** Returns {@code NAMES x COLLATE y}, or null if the server does not know the id. */
    @Nullable
    String setNames(int collation) {
        return setNames.get(collation);
    }
}
