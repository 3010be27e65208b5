package io.understudy.rules;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.PreparedStatement;
import io.understudy.plugin.SessionContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A {@link RuleSet} as one session sees it. What the session decides is worked out once and again when its schema or
 * user changes. To be used on the session's event loop only. Asking again for a statement whose like has been seen
 * allocates nothing.
 *
 * @param <R> what a rule stands for
 */
public final class SessionRules<R> {

    /** No rule matches. */
    public static final int NONE = -1;

    private final RuleSet<R> rules;
    private final SessionContext session;
    private final @Nullable InetAddress client;
    private String user;
    private @Nullable String schema;
    private SessionPart part;
    /** Of statements prepared in another schema, as of the last one; null until there is one. */
    private @Nullable SessionPart preparedPart;

    SessionRules(RuleSet<R> rules, SessionContext session) {
        this.rules = rules;
        this.session = session;
        client = session.clientAddress() instanceof InetSocketAddress inet ? inet.getAddress() : null;
        user = session.user();
        schema = session.schema();
        part = rules.part(user, schema, client, schema);
    }

    public RuleSet<R> rules() {
        return rules;
    }

    /** The first rule that matches the statement, counted as its hit, or null. Only within a callback of the command. */
    public @Nullable R match(CommandView command) {
        int index = matchIndex(command);
        return index < 0 ? null : rules.rule(index);
    }

    /** The same as an index into {@link RuleSet#rules}, or {@link #NONE}. */
    public int matchIndex(CommandView command) {
        int index = rules.find(partOf(command), command);
        if (index >= 0) {
            rules.hit(index);
        }
        return index;
    }

    /** The first rule that matches without counting a hit, or {@link #NONE}. */
    public int peekIndex(CommandView command) {
        return rules.find(partOf(command), command);
    }

    /**
     * The first rule without statement keys that matches, for decisions to be made before the statements are known, such
     * as at the beginning of a transaction; {@link #NONE} if there is none. Counts no hit.
     */
    public int sessionIndex() {
        return current().fallback;
    }

    /** Whether a statement can still make a difference; if not, {@link #matchIndex} never analyses one. */
    public boolean needsStatement() {
        return current().candidates.length > 0;
    }

    private SessionPart current() {
        String schemaNow = session.schema();
        String userNow = session.user();
        if (!same(schemaNow, schema) || !same(userNow, user)) {
            schema = schemaNow;
            user = userNow;
            part = rules.part(userNow, schemaNow, client, schemaNow);
            preparedPart = null;
        }
        return part;
    }

    /** Names of tables in a prepared statement mean the schema of its preparation. */
    private SessionPart partOf(CommandView command) {
        SessionPart now = current();
        PreparedStatement prepared = rules.usesTables() ? command.prepared() : null;
        if (prepared == null || same(prepared.schema(), schema)) {
            return now;
        }
        SessionPart other = preparedPart;
        if (other == null || !same(prepared.schema(), other.schema)) {
            other = rules.part(user, schema, client, prepared.schema());
            preparedPart = other;
        }
        return other;
    }

    private static boolean same(@Nullable String a, @Nullable String b) {
        // Most often the very same object.
        return a == b || a != null && a.equals(b);
    }
}
