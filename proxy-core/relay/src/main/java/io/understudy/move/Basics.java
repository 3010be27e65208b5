package io.understudy.move;

import io.understudy.sql.Quoting;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The only row of {@link StateQueries#BASICS}, as statements. */
final class Basics {
    private final @Nullable String[] cells;

    Basics(StateRows answer) {
        if (answer.rows().size() != 1) {
            throw NotMoved.unknownState("schema, account and character sets have no row");
        }
        byte @Nullable [][] row = answer.rows().get(0);
        cells = new String[row.length];
        for (int i = 0; i < row.length; i++) {
            cells[i] = StateRows.text(row[i]);
        }
    }

    @Nullable
    String currentUser() {
        return cells[1];
    }

    boolean hasInsertId() {
        return insertId() != 0;
    }

    long insertId() {
        return Long.parseUnsignedLong(String.valueOf(cells[3]));
    }

    /**
     * Returns what precedes everything else. Values are assigned in a strict mode, so that one that the new server does
     * not take is an error.
     */
    List<String> first() {
        List<String> statements = new ArrayList<>();
        statements.add("SET NAMES utf8mb4, sql_mode = 'STRICT_ALL_TABLES'");
        String schema = cells[0];
        if (schema != null) {
            statements.add("USE " + Quoting.name(schema));
        }
        String role = cells[2];
        // MySQL has quoted its list of names already.
        String roles = role == null || role.equals("NONE") ? "NONE" : role.startsWith("`") ? role : Quoting.name(role);
        statements.add("SET ROLE " + roles);
        statements.add("SET SESSION max_join_size = " + cells[9] + ", SESSION sql_big_selects = " + cells[10]);
        return statements;
    }

    /** Returns what follows everything else. */
    List<String> last() {
        List<String> statements = new ArrayList<>();
        String insertId = "0".equals(cells[4]) ? "" : ", insert_id = " + cells[4];
        statements.add("SET last_insert_id = " + cells[3] + insertId);
        statements.add("SET autocommit = " + cells[8]);
        String results = cells[6];
        statements.add("SET character_set_client = " + cells[5] + ", character_set_results = "
                + (results == null || results.isEmpty() ? "NULL" : results) + ", collation_connection = " + cells[7]);
        return statements;
    }
}
