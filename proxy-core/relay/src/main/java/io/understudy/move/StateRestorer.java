package io.understudy.move;

import io.understudy.plugin.ServerConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Gives a fresh connection a session's state, in one round trip. Used on the connection's event loop. */
public final class StateRestorer {
    private static final String ACCOUNT = "SELECT CAST(CONVERT(CURRENT_USER() USING utf8mb4) AS BINARY) LIMIT 1";

    /** MySQL lists global variables among a session's, where they may change between two questions. */
    private static final int ER_GLOBAL_VARIABLE = 1229;

    private StateRestorer() {}

    /**
     * Restores a session's state.
     *
     * @param fresh logged in as the session's user; useless after a failure
     * @return the first failure, or null
     */
    public static CompletableFuture<@Nullable String> restore(ServerConnection fresh, CarriedState state) {
        List<CompletableFuture<@Nullable String>> failures = new ArrayList<>();
        failures.add(StateRows.query(fresh, ACCOUNT, state.attributes())
                .thenApply(rows -> otherAccount(rows, state.currentUser())));
        for (String statement : state.statements()) {
            failures.add(StateRows.query(fresh, statement, state.attributes())
                    .thenApply(rows -> rows.error() == null || rows.errorCode() == ER_GLOBAL_VARIABLE
                            ? null
                            : subject(statement) + ": " + rows.error()));
        }
        return CompletableFuture.allOf(failures.toArray(CompletableFuture[]::new))
                .thenApply(done -> failures.stream()
                        .map(CompletableFuture::join)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null));
    }

    /** Returns a statement without its values, which may be secrets. */
    private static String subject(String statement) {
        int value = statement.indexOf('=');
        return value < 0 ? statement : statement.substring(0, value).trim();
    }

    private static @Nullable String otherAccount(StateRows rows, @Nullable String wanted) {
        if (rows.error() != null) {
            return "CURRENT_USER(): " + rows.error();
        }
        String is = rows.rows().isEmpty() ? null : StateRows.text(rows.rows().get(0)[0]);
        return wanted == null || wanted.equals(is)
                ? null
                : "the server has chosen the account " + is + " in place of " + wanted;
    }
}
