package io.understudy.plugins.mirror;

import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerResponse;
import io.understudy.wire.CommandCode;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sends what a new connection begins with, and says once whether all of it was accepted. On the connection's event loop. */
final class FirstStatements implements ServerResponse {
    private final Consumer<@Nullable String> onResponse;
    private int pending;
    private @Nullable String refused;

    private FirstStatements(int count, Consumer<@Nullable String> onResponse) {
        this.pending = count;
        this.onResponse = onResponse;
    }

    /** @param whenAnswered told null, or why the connection is of no use; at once when there are no statements */
    static void send(ServerConnection connection, List<String> statements, Consumer<@Nullable String> onResponse) {
        if (statements.isEmpty()) {
            onResponse.accept(null);
            return;
        }
        FirstStatements responses = new FirstStatements(statements.size(), onResponse);
        for (String sql : statements) {
            connection.execute(Commands.text(connection.alloc(), CommandCode.QUERY, sql), responses);
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
            onResponse.accept(refused);
        }
    }
}
