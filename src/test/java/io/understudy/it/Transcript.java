package io.understudy.it;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.CallableStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Records all that an application can observe of a step, line by line. Values that differ between any two runs are left
 * out: connection ids, ports, times.
 */
final class Transcript {
    private static final int LONGEST_VALUE = 200;
    private static final int MOST_RESULTS = 1000;
    /** Ids of connections and of prepared statements, which the server numbers across all sessions. */
    private static final Pattern CONNECTION = Pattern.compile("\\((conn=)?\\d+\\)");

    private static final Pattern CONNECTION_LOST = Pattern.compile("08...");

    private final List<String> lines = new ArrayList<>();

    /** An action that may fail; the failure is recorded then. */
    interface Action {
        void run() throws SQLException, IOException;
    }

    void note(String line) {
        lines.add(line);
    }

    void note(String name, @Nullable Object value) {
        lines.add(name + " = " + shorten(value == null ? "NULL" : value.toString()));
    }

    List<String> lines() {
        return List.copyOf(lines);
    }

    /** Runs a text statement and records every result. */
    void run(Statement statement, String sql) {
        attempt(sql, () -> all(statement, statement.execute(sql)));
    }

    void attempt(String title, Action action) {
        note("> " + shorten(title));
        try {
            action.run();
        } catch (SQLException e) {
            error(e);
        } catch (IOException e) {
            note("! " + e);
        }
    }

    void error(SQLException first) {
        for (SQLException e = first; e != null; e = e.getNextException()) {
            String state = String.valueOf(e.getSQLState());
            // The drivers themselves write the texts about lost connections, with times and addresses.
            String message = CONNECTION_LOST.matcher(state).matches()
                    ? ""
                    : CONNECTION.matcher(String.valueOf(e.getMessage())).replaceAll("(id)");
            note("! " + e.getClass().getSimpleName() + " " + e.getErrorCode() + " " + state + " " + message);
        }
    }

    /** Records every result of an executed statement. */
    void all(Statement statement, boolean isRows) throws SQLException {
        boolean rows = isRows;
        // Limited, in case a driver never reports the last result.
        for (int result = 0; result < MOST_RESULTS; result++) {
            if (rows) {
                rows(statement.getResultSet());
            } else {
                long count = statement.getLargeUpdateCount();
                if (count == -1) {
                    break;
                }
                note("updated " + count);
                generatedKeys(statement);
            }
            warnings(statement.getWarnings());
            rows = statement.getMoreResults();
        }
        if (statement instanceof CallableStatement) {
            note("call over");
        }
    }

    private void generatedKeys(Statement statement) {
        try (ResultSet keys = statement.getGeneratedKeys()) {
            while (keys.next()) {
                note("key " + keys.getLong(1));
            }
        } catch (SQLException notAsked) {
            note("no keys: " + notAsked.getSQLState());
        }
    }

    void warnings(@Nullable SQLWarning first) {
        for (SQLWarning warning = first; warning != null; warning = warning.getNextWarning()) {
            note("~ " + warning.getErrorCode() + " " + warning.getSQLState() + " "
                    + CONNECTION.matcher(String.valueOf(warning.getMessage())).replaceAll("(id)"));
        }
    }

    void rows(ResultSet rows) throws SQLException {
        describe(rows.getMetaData());
        int columns = rows.getMetaData().getColumnCount();
        while (rows.next()) {
            StringBuilder line = new StringBuilder("|");
            for (int i = 1; i <= columns; i++) {
                line.append(' ').append(value(rows, i)).append(" |");
            }
            note(line.toString());
        }
        rows.close();
    }

    private void describe(ResultSetMetaData data) throws SQLException {
        for (int i = 1; i <= data.getColumnCount(); i++) {
            note("column " + data.getCatalogName(i) + "." + data.getTableName(i) + "." + data.getColumnName(i) + " as "
                    + data.getColumnLabel(i) + ": " + data.getColumnType(i) + " " + data.getColumnTypeName(i) + "("
                    + data.getPrecision(i) + "," + data.getScale(i) + ") width " + data.getColumnDisplaySize(i) + " "
                    + data.getColumnClassName(i) + (data.isSigned(i) ? " signed" : "")
                    + (data.isAutoIncrement(i) ? " auto" : "") + " nullable " + data.isNullable(i));
        }
    }

    private static String value(ResultSet rows, int column) throws SQLException {
        Object value = rows.getObject(column);
        if (value instanceof byte[] bytes) {
            return "bytes " + digest(bytes);
        }
        if (value instanceof java.sql.Blob blob) {
            return "blob " + digest(blob.getBytes(1, (int) blob.length()));
        }
        return value == null ? "NULL" : shorten(value.toString());
    }

    /** Returns length and hash, for values too long to print. */
    static String digest(byte[] bytes) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
            StringBuilder text = new StringBuilder().append(bytes.length).append(" bytes #");
            for (int i = 0; i < 6; i++) {
                text.append(Character.forDigit(hash[i] >> 4 & 15, 16)).append(Character.forDigit(hash[i] & 15, 16));
            }
            return text.toString();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    static String digest(InputStream stream) throws IOException {
        return digest(stream.readAllBytes());
    }

    private static String shorten(String text) {
        return text.length() <= LONGEST_VALUE ? text : digest(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the differences between two transcripts with some lines of context; empty if they are equal. */
    static String difference(List<String> direct, List<String> proxied) {
        int[][] common = new int[direct.size() + 1][proxied.size() + 1];
        for (int i = direct.size() - 1; i >= 0; i--) {
            for (int j = proxied.size() - 1; j >= 0; j--) {
                common[i][j] = direct.get(i).equals(proxied.get(j))
                        ? common[i + 1][j + 1] + 1
                        : Math.max(common[i + 1][j], common[i][j + 1]);
            }
        }
        StringBuilder text = new StringBuilder();
        boolean same = true;
        int i = 0;
        int j = 0;
        while (i < direct.size() || j < proxied.size()) {
            if (i < direct.size() && j < proxied.size() && direct.get(i).equals(proxied.get(j))) {
                text.append("        ").append(direct.get(i)).append('\n');
                i++;
                j++;
            } else if (j < proxied.size() && (i == direct.size() || common[i][j + 1] >= common[i + 1][j])) {
                text.append("proxied ").append(proxied.get(j++)).append('\n');
                same = false;
            } else {
                text.append("direct  ").append(direct.get(i++)).append('\n');
                same = false;
            }
        }
        return same ? "" : text.toString();
    }
}
