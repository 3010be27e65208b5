package io.understudy.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The labelled statements of {@code corpus.txt}. Each is preceded by {@code @ DIALECT KIND PURE [r=…] [w=…]}. */
final class StatementCorpus {

    record Statement(String dialect, String kind, boolean pure, Set<String> reads, Set<String> writes, String sql) {
        byte[] bytes() {
            return sql.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public String toString() {
            return sql;
        }
    }

    private StatementCorpus() {}

    static List<Statement> load() {
        List<Statement> statements = new ArrayList<>();
        for (String entry : text().split("(?m)^@ ")) {
            if (!entry.isBlank()) {
                statements.add(statement(entry));
            }
        }
        return statements;
    }

    private static Statement statement(String entry) {
        int line = entry.indexOf('\n');
        String head = entry.substring(0, line);
        String[] fields = head.split(" ", 4);
        String tables = fields.length > 3 ? fields[3] : "";
        return new Statement(
                fields[0],
                fields[1],
                fields[2].equals("Y"),
                names(tables, "r="),
                names(tables, "w="),
                entry.substring(line + 1).strip());
    }

    /** Names may contain blanks ({@code my table}), so a list ends at the other list or at the end of the line. */
    private static Set<String> names(String tables, String key) {
        for (String list : tables.split(" (?=[rw]=)")) {
            if (list.startsWith(key) && list.length() > 2) {
                return new TreeSet<>(Arrays.asList(list.substring(2).split(",")));
            }
        }
        return Set.of();
    }

    static Set<String> names(List<TableName> tables) {
        return tables.stream().map(TableName::toString).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the corpus's label for a kind. */
    static String label(StatementKind kind) {
        return switch (kind) {
            case BEGIN, COMMIT, ROLLBACK, SAVEPOINT -> "TX";
            case XA, XA_PREPARE, XA_COMMIT, XA_ROLLBACK -> "XA";
            case LOCK, UNLOCK -> "LOCK";
            case GET_DIAGNOSTICS -> "GETDIAG";
            default -> kind.name();
        };
    }

    private static String text() {
        try (InputStream in = StatementCorpus.class.getResourceAsStream("corpus.txt")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
