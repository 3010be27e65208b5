package io.understudy.plugins.mirror;

import io.understudy.plugin.ResponseView;
import io.understudy.plugin.WireConnection;
import io.understudy.plugin.WireResponse;
import io.understudy.wire.CommandCode;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sends what a new connection begins with, and says once whether all of it was accepted. On the connection's event loop. */
final class FirstStatements implements WireResponse {
    private final Consumer<@Nullable String> whenAnswered;
    private int pending;
    private @Nullable String refused;

    private FirstStatements(int count, Consumer<@Nullable String> whenAnswered) {
        this.pending = count;
        this.whenAnswered = whenAnswered;
    }

    /** @param whenAnswered told null, or why the connection is of no use; at once when there are no statements */
    static void send(WireConnection connection, List<String> statements, Consumer<@Nullable String> whenAnswered) {
        if (statements.isEmpty()) {
            whenAnswered.accept(null);
            return;
        }
        FirstStatements answers = new FirstStatements(statements.size(), whenAnswered);
        for (String sql : statements) {
            connection.execute(Commands.text(connection.alloc(), CommandCode.QUERY, sql), answers);
        }
    }

    @Override
    public void onResponse(ResponseView response, int preparedId) {
        if (!response.ok()) {
            refused = "a setting of the mirror's or initSql was refused with error " + response.errorCode();
        }
        answered();
    }

    @Override
    public void onFailure(String reason) {
        refused = reason;
        answered();
    }

    private void answered() {
        if (--pending == 0) {
            whenAnswered.accept(refused);
        }
    }
}
