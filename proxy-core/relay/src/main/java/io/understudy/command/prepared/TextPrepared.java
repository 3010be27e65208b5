package io.understudy.command.prepared;

import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.StatementSummary;
import io.understudy.sql.TextPreparation;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Statements prepared by {@code PREPARE}, by name: whether {@code EXECUTE} is known to leave the session's settings as
 * they are, and what prepares them again on another server. Only a literal is read: {@code PREPARE name FROM 'text'}.
 *
 * <p>Both products remove the statement that had the name before also when the PREPARE fails, and count each PREPARE
 * and DEALLOCATE that they could parse, failed ones included, but not those that others imply.
 */
public final class TextPrepared {
    private static final int LIMIT = 64;
    private static final int LONGEST = 4096;
    private static final Pattern EXECUTE = Pattern.compile(
            "\\s*+EXECUTE\\s++(?:IMMEDIATE\\s++'([^'\\\\]*+)'|(?!IMMEDIATE(?!\\w))(\\w++))"
                    + "(?:\\s++USING\\s++[@\\w\\s,]++)?+\\s*+;?+\\s*+",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern INSERT = Pattern.compile(
            "(?<!\\w)(?:INSERT|REPLACE|LOAD|CREATE|CALL|EXECUTE|LAST_INSERT_ID)(?!\\w)", Pattern.CASE_INSENSITIVE);

    private final SqlAnalyzer analyzer;
    private final boolean keeps;
    private final Map<String, Statement> byName = new HashMap<>();
    /** Whether there may be statements, or fewer, that are not in {@link #byName}. */
    private boolean unread;

    private final Count preparations = new Count();
    private final Count removals = new Count();

    /**
     * A statement prepared.
     *
     * @param harmless whether it leaves the session's settings as they are
     * @param inserts whether it may change LAST_INSERT_ID()
     * @param sql the PREPARE; null if it cannot be repeated
     * @param preparation the settings of then
     */
    record Statement(
            boolean harmless,
            boolean inserts,
            byte @Nullable [] sql,
            PreparedEntry.@Nullable Preparation preparation) {}

    /** How many were sent, and how many of them have succeeded, since the session is on its server. */
    private static final class Count {
        private int sent;
        private int done;

        boolean explains(long counted, boolean othersPossible) {
            return othersPossible ? counted == done : counted <= sent;
        }

        void set(int count) {
            sent = count;
            done = count;
        }
    }

    /** @param keeps whether texts are kept to prepare the statements again */
    public TextPrepared(SqlAnalyzer analyzer, boolean keeps) {
        this.analyzer = analyzer;
        this.keeps = keeps;
    }

    /**
     * Takes a PREPARE, DEALLOCATE or DROP PREPARE, and returns its effect on this object if it succeeds.
     *
     * @param sql null if it is not at hand whole
     * @param removes whether it is a DEALLOCATE, or DROP PREPARE
     * @param then gives the settings at the time of the response, which are those of the preparation
     */
    public Runnable prepared(
            byte @Nullable [] sql, int modes, boolean removes, Supplier<PreparedEntry.Preparation> then) {
        Count count = removes ? removals : preparations;
        count.sent++;
        TextPreparation read = sql == null || sql.length > LONGEST ? null : TextPreparation.parse(sql, modes);
        if (sql == null || read == null) {
            unread();
            return () -> {
                count.done++;
                unread();
            };
        }
        String name = read.name();
        if (removes) {
            return () -> {
                count.done++;
                byName.remove(name);
            };
        }
        String text = read.text();
        boolean harmless = text != null && leavesSession(text, modes);
        boolean inserts = text == null || mayInsert(text);
        // An EXECUTE may come before the response. Whether a failure has removed the one before is the server's word.
        byName.computeIfPresent(name, (same, before) -> new Statement(false, true, null, null));
        byte[] kept = keeps && text != null ? sql : null;
        return () -> {
            count.done++;
            if (byName.size() < LIMIT || byName.containsKey(name)) {
                byName.put(name, new Statement(harmless, inserts, kept, kept == null ? null : then.get()));
            } else {
                unread = true;
            }
        };
    }

    /** Called when a text may hold a PREPARE or DEALLOCATE that is not read. */
    public void unread() {
        byName.clear();
        unread = true;
    }

    /** Returns whether {@code text}, an EXECUTE, is known not to change the session's settings. */
    public boolean executes(@Nullable String text, int modes) {
        Matcher statement = text == null || text.length() > LONGEST ? null : EXECUTE.matcher(text);
        if (statement == null || !statement.matches()) {
            return false;
        }
        String name = statement.group(2);
        if (name == null) {
            return leavesSession(statement.group(1), modes);
        }
        Statement prepared = byName.get(name.toLowerCase(Locale.ROOT));
        return prepared != null && prepared.harmless();
    }

    /** Returns whether {@code text}, an EXECUTE, may run what changes LAST_INSERT_ID(). */
    public boolean executesInsert(String text) {
        Matcher statement = EXECUTE.matcher(text);
        if (!statement.matches()) {
            return true;
        }
        String name = statement.group(2);
        if (name == null) {
            return mayInsert(statement.group(1));
        }
        Statement prepared = byName.get(name.toLowerCase(Locale.ROOT));
        return prepared == null || prepared.inserts();
    }

    /** Returns whether the text may have what changes LAST_INSERT_ID(). */
    public static boolean mayInsert(String text) {
        return INSERT.matcher(text).find();
    }

    /**
     * Returns whether what the server has counted on this connection is what is known here.
     *
     * @param preparationsCounted those of PREPARE
     * @param removalsCounted those of DEALLOCATE and DROP PREPARE
     * @param othersPossible whether a procedure, or a text that was not read, may have had more
     */
    public boolean explains(long preparationsCounted, long removalsCounted, boolean othersPossible) {
        return preparations.explains(preparationsCounted, othersPossible)
                && removals.explains(removalsCounted, othersPossible);
    }

    /** Returns why the statements cannot be prepared again on another server, for a person, or null. */
    @Nullable
    String whyNotMoved(PreparedEntry.Preparation present) {
        if (unread) {
            return "it has run a PREPARE that could not be read, or too many";
        }
        for (Map.Entry<String, Statement> each : byName.entrySet()) {
            PreparedEntry.Preparation own = each.getValue().preparation();
            if (own == null) {
                return "the text of statement " + each.getKey() + " is not known";
            }
            if (!StatementMove.reachable(own, present)) {
                return "statement " + each.getKey() + " was prepared under other settings";
            }
        }
        return null;
    }

    Collection<Statement> all() {
        return byName.values();
    }

    /** Called when the session has gone on to another server, which has prepared the statements. */
    public void moved() {
        preparations.set(byName.size());
        removals.set(0);
    }

    private boolean leavesSession(String inner, int modes) {
        byte[] bytes = inner.getBytes(StandardCharsets.UTF_8);
        StatementSummary summary = analyzer.summarize(bytes, 0, bytes.length, modes);
        return !summary.touchesSession();
    }
}
