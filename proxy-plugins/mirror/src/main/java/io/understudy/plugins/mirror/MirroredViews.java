package io.understudy.plugins.mirror;

import io.understudy.plugins.mirror.selection.MirrorConfig;
import io.understudy.plugins.mirror.tables.TableDictionary;
import io.understudy.plugins.mirror.tables.ViewReader;
import io.understudy.servers.ServerQueries;
import io.understudy.sql.TableName;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The views of a standby that are not mirrored, as the mirror's account sees them.
 *
 * @param refused views with the reason
 * @param pure number of views that are mirrored
 * @param more whether the standby has more views than were read
 */
public record MirroredViews(List<Refused> refused, int pure, boolean more) {
    static final int MAX_VIEWS = 2000;

    /** A view that is not mirrored. */
    public record Refused(String schema, String view, String reason) {
        /** Returns whether the account must not see the definition. */
        public boolean unreadable() {
            return reason.equals(ViewReader.UNREADABLE);
        }
    }

    /** Reads the views of a standby over a connection of the mirror's account, which stays open. Blocks. */
    public static MirroredViews of(Connection connection, MirrorConfig config) throws SQLException {
        List<TableName> names = new ServerQueries(connection)
                .rows(
                        "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.VIEWS WHERE TABLE_SCHEMA NOT IN"
                                + " ('information_schema', 'performance_schema', 'mysql', 'sys') LIMIT "
                                + (MAX_VIEWS + 1),
                        row -> new TableName(row.getString(1), row.getString(2)));
        boolean more = names.size() > MAX_VIEWS;
        ViewReader reader = new ViewReader(TableDictionary.of(connection), config.pureFunctions());
        List<Refused> refused = new ArrayList<>();
        for (TableName name : more ? names.subList(0, MAX_VIEWS) : names) {
            String reason = reader.read(name).reason();
            if (reason != null) {
                refused.add(new Refused(String.valueOf(name.schema()), name.table(), reason));
            }
        }
        return new MirroredViews(List.copyOf(refused), Math.min(names.size(), MAX_VIEWS) - refused.size(), more);
    }
}
