package io.understudy.plugin;

import org.jspecify.annotations.Nullable;

/**
 * A value of a session variable, with the statement that gives it to a session. Immutable: made once, and used by all
 * sessions.
 */
public final class VariableValue {
    private final long value;
    private final InjectedStatement statement;
    private final @Nullable VariableValue probe;

    /**
     * @param value tells the values of one variable apart
     * @param sql a SET or a CALL
     * @param purpose short word for logs, from a bounded set
     */
    public VariableValue(long value, String sql, String purpose) {
        this.value = value;
        statement = new InjectedStatement(sql, purpose);
        probe = new VariableValue(value, statement);
    }

    private VariableValue(long value, InjectedStatement probed) {
        this.value = value;
        statement = new InjectedStatement(probed.sql(), probed.purpose() + "-probe");
        probe = null;
    }

    /** Returns the number given to the constructor. */
    public long value() {
        return value;
    }

    /** Returns the statement. */
    public InjectedStatement statement() {
        return statement;
    }

    /** Returns whether the statement is sent only to learn whether the server accepts it. */
    public boolean isProbe() {
        return probe == null;
    }

    /** Returns the same value as a probe. */
    VariableValue probe() {
        return probe == null ? this : probe;
    }
}
