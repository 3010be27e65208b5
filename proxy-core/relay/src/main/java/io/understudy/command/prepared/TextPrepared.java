package io.understudy.command.prepared;

import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.StatementSummary;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Names of statements prepared by {@code PREPARE} that are known not to change the session's settings, so that
 * {@code EXECUTE} does not either. Only plain texts are analysed: {@code PREPARE name FROM 'text'} without quotes or
 * backslashes in the text.
 */
public final class TextPrepared {
    private static final int LIMIT = 64;
    private static final int LONGEST = 4096;
    private static final Pattern PREPARE = Pattern.compile(
            "\\s*+PREPARE\\s++(\\w++)\\s++FROM\\s++'([^'\\\\]*+)'\\s*+;?+\\s*+", Pattern.CASE_INSENSITIVE);
    private static final Pattern EXECUTE = Pattern.compile(
            "\\s*+EXECUTE\\s++(?:IMMEDIATE\\s++'([^'\\\\]*+)'|(?!IMMEDIATE\\b)(\\w++))"
                    + "(?:\\s++USING\\s++[@\\w\\s,]++)?+\\s*+;?+\\s*+",
            Pattern.CASE_INSENSITIVE);

    private final SqlAnalyzer analyzer;
    private final Set<String> harmless = new HashSet<>();

    public TextPrepared(SqlAnalyzer analyzer) {
        this.analyzer = analyzer;
    }

    /** Takes the text of a PREPARE and returns its effect on this object if it succeeds. */
    public Runnable prepared(@Nullable String text, int modes) {
        Matcher statement = text == null || text.length() > LONGEST ? null : PREPARE.matcher(text);
        if (statement == null || !statement.matches()) {
            harmless.clear(); // its name is not known
            return harmless::clear;
        }
        String name = statement.group(1).toLowerCase(Locale.ROOT);
        boolean leaves = leavesSession(statement.group(2), modes);
        harmless.remove(name); // an EXECUTE may come before the response
        return () -> {
            if (leaves && harmless.size() < LIMIT) {
                harmless.add(name);
            }
        };
    }

    /** Returns whether {@code text}, an EXECUTE, is known not to change the session's settings. */
    public boolean executes(@Nullable String text, int modes) {
        Matcher statement = text == null || text.length() > LONGEST ? null : EXECUTE.matcher(text);
        if (statement == null || !statement.matches()) {
            return false;
        }
        String name = statement.group(2);
        return name == null
                ? leavesSession(statement.group(1), modes)
                : harmless.contains(name.toLowerCase(Locale.ROOT));
    }

    private boolean leavesSession(String inner, int modes) {
        byte[] bytes = inner.getBytes(StandardCharsets.UTF_8);
        StatementSummary summary = analyzer.summarize(bytes, 0, bytes.length, modes);
        return !summary.touchesSession();
    }
}
