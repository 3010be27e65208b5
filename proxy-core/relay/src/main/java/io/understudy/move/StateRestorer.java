package io.understudy.move;

import io.understudy.plugin.ServerConnection;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Gives a fresh connection a session's state, in one round trip. Used on the connection's event loop. */
public final class StateRestorer {
    private static final String ACCOUNT = "SELECT CAST(CONVERT(CURRENT_USER() USING utf8mb4) AS BINARY) LIMIT 1";

    /** MySQL lists global variables among a session's, where they may change between two questions. */
    private static final int ER_GLOBAL_VARIABLE = 1229;

    private final CarriedState state;
    private final Consumer<@Nullable String> then;
    private int due;
    private @Nullable String failure;

    private StateRestorer(CarriedState state, Consumer<@Nullable String> then) {
        this.state = state;
        this.then = then;
        due = state.statements().size() + 1;
    }

    /**
     * Restores a session's state.
     *
     * @param fresh logged in as the session's user; useless after a failure
     * @param then called once: with null, or with the first failure
     */
    public static void restore(ServerConnection fresh, CarriedState state, Consumer<@Nullable String> then) {
        StateRestorer restorer = new StateRestorer(state, then);
        StateRows.query(fresh, ACCOUNT, state.attributes(), restorer::account);
        for (String statement : state.statements()) {
            StateRows.query(
                    fresh,
                    statement,
                    state.attributes(),
                    rows -> restorer.end(
                            rows.error() == null || rows.errorCode() == ER_GLOBAL_VARIABLE
                                    ? null
                                    : subject(statement) + ": " + rows.error()));
        }
    }

    /** Returns a statement without its values, which may be secrets. */
    private static String subject(String statement) {
        int value = statement.indexOf('=');
        return value < 0 ? statement : statement.substring(0, value).trim();
    }

    private void account(StateRows rows) {
        String wanted = state.currentUser();
        String is = rows.rows().isEmpty() ? null : StateRows.text(rows.rows().get(0)[0]);
        end(
                rows.error() != null
                        ? "CURRENT_USER(): " + rows.error()
                        : wanted == null || wanted.equals(is)
                                ? null
                                : "the server has chosen the account " + is + " in place of " + wanted);
    }

    private void end(@Nullable String failed) {
        if (failure == null) {
            failure = failed;
        }
        if (--due == 0) {
            then.accept(failure);
        }
    }
}
