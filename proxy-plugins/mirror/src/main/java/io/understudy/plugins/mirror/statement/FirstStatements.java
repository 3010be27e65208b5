package io.understudy.plugins.mirror.statement;

import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerResponse;
import io.understudy.protocol.CommandCode;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends the statements that prepare a new connection and reports once whether the server accepted all of them. Used on
 * the connection's event loop.
 */
public final class FirstStatements implements ServerResponse {
    private final Consumer<@Nullable String> onResponse;
    private int pending;
    private @Nullable String refused;

    private FirstStatements(int count, Consumer<@Nullable String> onResponse) {
        this.pending = count;
        this.onResponse = onResponse;
    }

    /**
     * Sends the statements.
     *
     * @param onResponse called with null, or with the reason why the connection cannot be used; at once if there are no
     *     statements
     */
    public static void send(
            ServerConnection connection, List<String> statements, Consumer<@Nullable String> onResponse) {
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
            refused = "a mirror setting or a statement of initSql was refused with error " + response.errorCode();
        }
        completeOne();
    }

    @Override
    public void onFailure(String reason) {
        refused = reason;
        completeOne();
    }

    private void completeOne() {
        if (--pending == 0) {
            onResponse.accept(refused);
        }
    }
}
