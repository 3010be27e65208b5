package io.understudy.it.querylog;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Statements made of what ends, begins or resembles events of logs, in literals, comments and names. The same seed
 * makes the same statements.
 */
public final class HostileStatements {
    private static final List<String> FRAGMENTS = List.of(
            "\n# Time: 260115 09:05:01.123456\n",
            "# User@Host: root[root] @ forged [10.6.6.6]  Id: 99\n",
            "# Thread_id: 99  Schema: mysql  QC_hit: No\n",
            "# Query_time: 9.0  Lock_time: 0.0  Rows_sent: 6  Rows_examined: 6\n",
            "# Digest: 00000000000000ff\n",
            "use mysql;\n",
            "SET timestamp=55;\n",
            ";\nDROP TABLE forged;\n",
            ";",
            ";\n",
            ";\r\n",
            "# administrator command: Quit;\n",
            "/usr/sbin/mysqld, Version: 8.0.36. started with:\n",
            "/usr/sbin/mariadbd, Version: 10.11.19-MariaDB. started with:\n",
            "Tcp port: 3306  Unix socket: /run/mysqld/mysqld.sock\n",
            "Time                Id Command    Argument\n",
            "\n# Time: 2026-01-15T09:05:01Z\n# Conn_ID: 1\n# Payload_len: 8\nDROP x;\n",
            "# Dropped_events: 7\n",
            "'",
            "\"",
            "`",
            "\\",
            "\\\\",
            "-- ",
            "#",
            "/*",
            "?",
            "\n",
            "\r",
            "\t",
            "\0",
            "\u001a",
            " ",
            "ä中𝄞",
            "x");
    private static final List<String> WORDS = List.of("FROM t", "WHERE", "= 1", ", 2.5", "(", ")", "AND b", "IN", "x1");
    private static final List<String> FIRST = List.of(
            "SELECT", "select", "INSERT INTO t VALUES", "use shop", "set timestamp=55", "SET insert_id=5", "Tcp port");

    private final Random random;

    /**
     * One statement.
     *
     * @param sql the text
     * @param tokens words without blanks between them, and the values of literals and names
     * @param breaksName whether a name has a line break in it, so that it cannot be written in one line
     */
    public record Statement(String sql, List<String> tokens, boolean breaksName) {}

    public HostileStatements(long seed) {
        random = new Random(seed);
    }

    private String fragments() {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(4); i >= 0; i--) {
            text.append(FRAGMENTS.get(random.nextInt(FRAGMENTS.size())));
        }
        return text.toString();
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    /** Makes the next statement. */
    public Statement next() {
        StringBuilder sql = new StringBuilder();
        List<String> tokens = new ArrayList<>();
        boolean breaksName = false;
        if (random.nextInt(8) == 0) {
            comment(sql);
        }
        String first = any(FIRST);
        sql.append(first);
        word(tokens, first);
        for (int i = random.nextInt(5); i >= 0; i--) {
            switch (random.nextInt(6)) {
                case 0 -> comment(sql);
                case 1, 2 -> {
                    String value = fragments();
                    sql.append(random.nextBoolean() ? " " : "\n")
                            .append(quoted(value, random.nextBoolean() ? '\'' : '"'));
                    tokens.add("value " + value);
                    separate(sql, tokens);
                }
                case 3 -> {
                    boolean breaks = random.nextInt(20) == 0;
                    String name = fragments().replaceAll("[\\x00-\\x1f]", breaks ? "\n" : "~");
                    breaks &= name.indexOf('\n') >= 0;
                    breaksName |= breaks;
                    sql.append(" `").append(name.replace("`", "``")).append('`');
                    tokens.add("name " + name);
                    separate(sql, tokens);
                }
                default -> {
                    String word = any(WORDS);
                    sql.append(any(List.of(" ", "\n", "\r\n", "\t"))).append(word);
                    word(tokens, word);
                }
            }
        }
        return new Statement(sql.toString(), tokens, breaksName);
    }

    private static void separate(StringBuilder sql, List<String> tokens) {
        sql.append(" ,");
        word(tokens, ",");
    }

    private static String bare(String text) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            if (!Character.isWhitespace(text.charAt(i))) {
                out.append(text.charAt(i));
            }
        }
        return out.toString();
    }

    private static void word(List<String> tokens, String text) {
        String bare = bare(text);
        int last = tokens.size() - 1;
        if (last >= 0 && tokens.get(last).startsWith("words ")) {
            tokens.set(last, tokens.get(last) + bare);
        } else {
            tokens.add("words " + bare);
        }
    }

    private void comment(StringBuilder sql) {
        String inside = fragments();
        switch (random.nextInt(3)) {
            case 0 -> sql.append(" /* ").append(inside.replace("*/", "")).append(" */ ");
            case 1 ->
                sql.append(" -- ")
                        .append(inside.replace('\r', ' ').replace('\n', ' '))
                        .append('\n');
            default ->
                sql.append(" # ")
                        .append(inside.replace('\r', ' ').replace('\n', ' '))
                        .append('\n');
        }
    }

    private String quoted(String value, char quote) {
        StringBuilder out = new StringBuilder().append(quote);
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            boolean escapes = random.nextBoolean();
            if (c == quote) {
                out.append(escapes ? '\\' : quote).append(c);
            } else if (c == '\\') {
                out.append("\\\\");
            } else if (c == '\n' && escapes) {
                out.append("\\n");
            } else if (c == '\0' && escapes) {
                out.append("\\0");
            } else {
                out.append(c);
            }
        }
        return out.append(quote).toString();
    }

    /** Takes a statement apart that has no comments but {@code /* *}{@code /}. */
    public static List<String> tokens(String sql) {
        List<String> tokens = new ArrayList<>();
        int at = 0;
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (c == '\'' || c == '"' || c == '`') {
                StringBuilder value = new StringBuilder();
                at = unquoted(sql, at, value);
                tokens.add((c == '`' ? "name " : "value ") + value);
            } else if (sql.startsWith("/* */", at)) {
                at += 5;
            } else {
                int end = at + 1;
                while (end < sql.length() && "'\"`/".indexOf(sql.charAt(end)) < 0) {
                    end++;
                }
                word(tokens, sql.substring(at, end));
                at = end;
            }
        }
        tokens.removeIf("words "::equals);
        return tokens;
    }

    private static int unquoted(String sql, int start, StringBuilder value) {
        char quote = sql.charAt(start);
        int at = start + 1;
        while (at < sql.length()) {
            char c = sql.charAt(at++);
            if (c == '\\' && quote != '`') {
                char escaped = sql.charAt(at++);
                value.append(escaped == 'n' ? '\n' : escaped == 'r' ? '\r' : escaped == '0' ? '\0' : escaped);
            } else if (c != quote) {
                value.append(c);
            } else if (at < sql.length() && sql.charAt(at) == quote) {
                value.append(quote);
                at++;
            } else {
                return at;
            }
        }
        throw new IllegalArgumentException("quotes that nobody closes in " + sql);
    }
}
