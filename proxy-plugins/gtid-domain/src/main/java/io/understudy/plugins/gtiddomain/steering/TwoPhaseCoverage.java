package io.understudy.plugins.gtiddomain.steering;

import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.SqlModes;
import io.understudy.sql.StatementKind;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Recognises the schema changes that {@code binlog_alter_two_phase} covers, as MariaDB 10.11 and 11.4 log them: ALTER
 * TABLE, CREATE INDEX and DROP INDEX, but no change of single partitions, no renaming alone, and no other DDL.
 */
public final class TwoPhaseCoverage {
    private static final Set<String> PARTITION_WORK = Set.of(
            ("add drop truncate reorganize coalesce exchange rebuild optimize analyze check repair convert discard"
                            + " import")
                    .split(" "));
    private static final Set<String> OTHER_RENAMES = Set.of("column", "index", "key");
    private static final Set<String> CHANGES = Set.of("add", "change", "modify", "drop");

    /** For whole texts: what decides may be at the end of many changes. */
    private static final SqlAnalyzer ANALYZER = new SqlAnalyzer(Integer.MAX_VALUE, 1);

    /**
     * A name that is a keyword or has other characters than letters; others lose their quotes. Possessive: clients
     * choose the texts, and the engine recurses for each round of a group that may have to give it back.
     */
    private static final Pattern QUOTED = Pattern.compile("`(?:[^`]++|``)*+`|\"(?:[^\"]++|\"\")*+\"");

    private TwoPhaseCoverage() {}

    /**
     * Returns why it does not cover a statement: an empty text if it does, null if the statement is no schema change.
     *
     * @param kind of the statement that is executed
     * @param text of the statement, whole, normalised or not; null if unknown
     */
    public static @Nullable String gap(StatementKind kind, @Nullable String text) {
        return switch (kind) {
            case ALTER -> text == null ? "" : gap(words(text));
            case CREATE, DROP -> text == null ? "its text is not known" : gap(words(text));
            case TRUNCATE -> "TRUNCATE is logged once, when it has ended";
            case RENAME -> "RENAME TABLE is logged once, when it has ended";
            case ADMIN ->
                text != null && words(text).contains("optimize")
                        ? "OPTIMIZE TABLE is logged once, when it has ended; ALTER TABLE … FORCE does the same work"
                        : null;
            default -> null;
        };
    }

    /** Returns the words of a text; a name in quotes is one that means nothing. */
    private static List<String> words(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        String bare = QUOTED.matcher(ANALYZER.normalize(bytes, 0, bytes.length, SqlModes.MARIADB, Integer.MAX_VALUE))
                .replaceAll("?");
        return List.of(bare.toLowerCase(Locale.ROOT).strip().split("[^\\p{Alnum}_$?]+"));
    }

    private static String gap(List<String> words) {
        int alter = words.indexOf("alter");
        int index = words.indexOf("index");
        int table = words.indexOf("table");
        int verb = first(words.indexOf("create"), words.indexOf("drop"));
        if (alter >= 0 && (verb < 0 || alter < verb)) {
            return table < 0 ? "of ALTER only ALTER TABLE is covered" : table(words.subList(table, words.size()));
        }
        if (index >= 0 && (table < 0 || index < table)) {
            return "";
        }
        return words.contains("select")
                ? "CREATE TABLE … SELECT is logged once, when it has ended"
                : "of CREATE and DROP only CREATE INDEX and DROP INDEX are covered";
    }

    private static int first(int a, int b) {
        return a < 0 ? b : b < 0 ? a : Math.min(a, b);
    }

    private static String table(List<String> words) {
        for (int i = 1; i + 1 < words.size(); i++) {
            String next = words.get(i + 1);
            boolean byExpression = i + 2 < words.size() && words.get(i + 2).equals("by"); // of a table of such a name
            if (next.equals("partition") && PARTITION_WORK.contains(words.get(i)) && !byExpression) {
                return "work on single partitions is logged once, when it has ended";
            }
            if (next.equals("keys")
                    && (words.get(i).equals("disable") || words.get(i).equals("enable"))) {
                return "DISABLE KEYS and ENABLE KEYS are logged once, when they have ended";
            }
        }
        // "table", the name in one or two words, "rename", "to", the new name: nothing else is changed.
        int rename = words.indexOf("rename");
        boolean only = rename >= 2 && rename <= 3 && words.size() - rename <= 4;
        return only
                        && !OTHER_RENAMES.contains(words.get(Math.min(rename + 1, words.size() - 1)))
                        && !CHANGES.contains(words.get(rename - 1))
                ? "ALTER TABLE … RENAME is logged once, when it has ended"
                : "";
    }
}
