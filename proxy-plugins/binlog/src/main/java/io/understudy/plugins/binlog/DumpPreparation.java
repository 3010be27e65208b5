package io.understudy.plugins.binlog;

import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerResponse;
import java.util.List;
import java.util.function.BiConsumer;

/** Executes the statements that precede the dump command, one after another. Used on the connection's event loop. */
final class DumpPreparation implements ServerResponse {
    private final ServerConnection on;
    private final List<String> statements;
    private final Runnable done;
    private final BiConsumer<BinlogTrouble.Reason, String> trouble;
    private int next;

    private DumpPreparation(
            ServerConnection on,
            List<String> statements,
            Runnable done,
            BiConsumer<BinlogTrouble.Reason, String> trouble) {
        this.on = on;
        this.statements = statements;
        this.done = done;
        this.trouble = trouble;
    }

    /** Executes all statements, then {@code done}; at the first error calls {@code trouble} instead and stops. */
    static void run(
            ServerConnection on,
            List<String> statements,
            Runnable done,
            BiConsumer<BinlogTrouble.Reason, String> trouble) {
        new DumpPreparation(on, statements, done, trouble).step();
    }

    private void step() {
        if (next == statements.size()) {
            done.run();
        } else {
            on.execute(DumpCommands.query(on.alloc(), statements.get(next)), this);
        }
    }

    @Override
    public void onResponse(ResponseView response, int preparedId) {
        if (response.ok()) {
            next++;
            step();
        } else {
            String message = "error " + response.errorCode() + " to: " + statements.get(next);
            trouble.accept(BinlogErrors.reason(message), message);
        }
    }

    @Override
    public void onFailure(String reason) {
        trouble.accept(BinlogTrouble.Reason.CONNECTION, reason);
    }
}
