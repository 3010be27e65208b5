package io.understudy.move;

import io.understudy.plugin.ServerConnection;
import io.understudy.sql.Quoting;
import io.understudy.sql.TableName;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Looks for views among the tables of a read that is to be sent again: a view may call a function that writes, and the
 * old server may have run it. Used on the connection's event loop.
 */
public final class ReadAgain {
    private ReadAgain() {}

    /**
     * Asks a server.
     *
     * @param fresh logged in as the session's user, with the settings of a new session
     * @param schema of names without one; null if the session has none
     * @param attributes whether the connection has query attributes
     * @return null if there is no view, or why that is not sure
     */
    public static CompletableFuture<@Nullable String> check(
            ServerConnection fresh, List<TableName> tables, @Nullable String schema, boolean attributes) {
        if (!tables.stream().allMatch(name -> isAscii(name.schema()) && isAscii(name.table())) || !isAscii(schema)) {
            return CompletableFuture.completedFuture(
                    "whether its read in flight is of a view is not known: a name is not ASCII");
        }
        String names = tables.stream()
                .map(name -> "(TABLE_SCHEMA = " + text(name.schema() == null ? schema : name.schema())
                        + " AND TABLE_NAME = " + text(name.table()) + ")")
                .collect(Collectors.joining(" OR "));
        String question =
                "SELECT CAST(COUNT(*) AS BINARY) FROM information_schema.TABLES WHERE TABLE_TYPE = 'VIEW' AND (" + names
                        + ") LIMIT 1";
        return StateRows.query(fresh, question, attributes).thenApply(rows -> {
            if (rows.error() != null || rows.rows().isEmpty()) {
                return "whether its read in flight is of a view is not known: " + rows.error();
            }
            return "0".equals(StateRows.text(rows.rows().get(0)[0]))
                    ? null
                    : "its read in flight is of a view, whose functions may have written";
        });
    }

    private static boolean isAscii(@Nullable String name) {
        return name == null || name.chars().allMatch(c -> c < 0x80);
    }

    private static String text(@Nullable String name) {
        return name == null ? "NULL" : Quoting.text(name);
    }
}
