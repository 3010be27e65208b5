package io.understudy.rules;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.PreparedStatement;
import io.understudy.plugin.SessionContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A {@link RuleSet} for one session. The session's part is evaluated once, and again when its schema or user changes.
 * Must be used on the session's event loop only. Evaluating a statement whose digest was seen before allocates nothing.
 *
 * @param <R> the type of a rule's value
 */
public final class SessionRules<R> {

    /** The index when no rule matches. */
    public static final int NONE = -1;

    private final RuleSet<R> rules;
    private final SessionContext session;
    private final @Nullable InetAddress client;
    private String user;
    private @Nullable String schema;
    private SessionPart part;
    /** The part for statements prepared in another schema, kept for the last such schema; null until there is one. */
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

    /**
     * Returns the first rule that matches the statement and counts its hit, or null. Must be called within a callback
     * of the command.
     */
    public @Nullable R match(CommandView command) {
        int index = matchIndex(command);
        return index < 0 ? null : rules.rule(index);
    }

    /**
     * Returns the index in {@link RuleSet#rules} of the rule that {@link #match} would return, or {@link #NONE}, and
     * counts its hit.
     */
    public int matchIndex(CommandView command) {
        int index = rules.find(partOf(command), command, session.id());
        if (index >= 0) {
            rules.hit(index);
        }
        return index;
    }

    /** Returns the index of the first rule that matches, or {@link #NONE}, without counting a hit. */
    public int peekIndex(CommandView command) {
        return rules.find(partOf(command), command, session.id());
    }

    /**
     * Returns the index of the first rule without statement keys that matches, or {@link #NONE}, without counting a
     * hit. For decisions made before the statements are known, such as at the start of a transaction.
     */
    public int sessionIndex() {
        return current().fallback;
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

    /** Unqualified tables of a prepared statement belong to the default schema at its preparation. */
    private SessionPart partOf(CommandView command) {
        SessionPart now = current();
        PreparedStatement prepared = rules.usesTables() ? command.prepared() : null;
        if (prepared == null || same(prepared.schema(), schema)) {
            return now;
        }
        if (preparedPart == null || !same(prepared.schema(), preparedPart.schema)) {
            preparedPart = rules.part(user, schema, client, prepared.schema());
        }
        return preparedPart;
    }

    private static boolean same(@Nullable String a, @Nullable String b) {
        return Objects.equals(a, b);
    }
}
