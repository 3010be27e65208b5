package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerResponse;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Executes the commands that precede the dump command, one after another. Used on the connection's event loop. */
final class DumpPreparation implements ServerResponse {
    private final ServerConnection on;
    private final List<Step> steps;
    private final Runnable done;
    private final BiConsumer<BinlogTrouble.Reason, String> trouble;
    private int next;

    /**
     * A command whose response is an OK or an error.
     *
     * @param name for messages
     */
    record Step(String name, Function<ByteBufAllocator, ByteBuf> command) {}

    static Step statement(String sql) {
        return new Step(sql, alloc -> DumpCommands.query(alloc, sql));
    }

    static Step register(long serverId) {
        return new Step("the registration as a replica", alloc -> DumpCommands.register(alloc, serverId));
    }

    private DumpPreparation(
            ServerConnection on, List<Step> steps, Runnable done, BiConsumer<BinlogTrouble.Reason, String> trouble) {
        this.on = on;
        this.steps = steps;
        this.done = done;
        this.trouble = trouble;
    }

    /** Executes all of them, then {@code done}; at the first error calls {@code trouble} instead and stops. */
    static void run(
            ServerConnection on, List<Step> steps, Runnable done, BiConsumer<BinlogTrouble.Reason, String> trouble) {
        new DumpPreparation(on, steps, done, trouble).step();
    }

    private void step() {
        if (next == steps.size()) {
            done.run();
        } else {
            on.execute(steps.get(next).command().apply(on.alloc()), this);
        }
    }

    @Override
    public void onResponse(ResponseView response, int preparedId) {
        if (response.ok()) {
            next++;
            step();
        } else {
            String message =
                    "error " + response.errorCode() + " to: " + steps.get(next).name();
            trouble.accept(BinlogErrors.reason(message), message);
        }
    }

    @Override
    public void onFailure(String reason) {
        trouble.accept(BinlogTrouble.Reason.CONNECTION, reason);
    }
}
