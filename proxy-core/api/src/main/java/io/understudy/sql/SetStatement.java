package io.understudy.sql;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A {@code SET} statement as its assignments in order, so that a session's settings can be tracked.
 *
 * @param assignments at least one
 */
public record SetStatement(List<Assignment> assignments) {

    /** The scope of an assignment. */
    public enum Scope {
        /** The session; also {@code LOCAL} and no scope word. */
        SESSION,
        GLOBAL,
        PERSIST,
        PERSIST_ONLY,
        /** A user variable; the name is without {@code @}. */
        USER,
        /** {@code SET TRANSACTION …}: the next transaction only. */
        TRANSACTION,
        /** {@code SET STATEMENT … FOR …}: only the statement after FOR. */
        STATEMENT,
        /** {@code SET PASSWORD}, {@code SET DEFAULT ROLE}: an account. */
        ACCOUNT
    }

    /**
     * One assignment.
     *
     * <p>Statements without a variable get a name: {@code SET NAMES x COLLATE y} is "names" with the value {@code x
     * COLLATE y}, {@code SET CHARACTER SET x} is {@code character_set}, {@code SET TRANSACTION} is
     * {@code transaction_isolation} ({@code READ-COMMITTED}) and {@code transaction_read_only} ({@code 0} or
     * {@code 1}), {@code SET ROLE} is {@code role}, {@code SET RESOURCE GROUP} is {@code resource_group}, {@code SET
     * PASSWORD} is {@code password}, {@code SET DEFAULT ROLE} is {@code default_role}.
     *
     * @param name lower case
     * @param literalValue the value without quotes, or a bare word as written; null for {@code DEFAULT} and for every
     *     expression
     * @param expression the right-hand side as written, comments included; empty for statements without a variable
     */
    public record Assignment(
            Scope scope, String name, @Nullable String literalValue, String expression) {

        /** Returns whether this is {@code SET x = DEFAULT}. */
        public boolean isDefault() {
            return expression.equalsIgnoreCase("DEFAULT");
        }
    }

    public SetStatement {
        assignments = List.copyOf(assignments);
    }

    /**
     * Parses a statement.
     *
     * @return null if the text is no {@code SET}, has several statements, or is not understood
     */
    public static @Nullable SetStatement parse(byte[] text, int off, int len, int modes) {
        return new SetParser().parse(text, off, len, modes);
    }
}
