package io.understudy.plugins.mirror.playback;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerResponse;
import io.understudy.plugins.mirror.statement.Commands;
import io.understudy.plugins.mirror.tables.StandbyError;
import io.understudy.protocol.CommandCode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands on which what follows depends, and reports once what became of all of them. Used on the connection's
 * event loop.
 */
final class PrecedingCommands implements ServerResponse {
    /** Receives the first error, or why the connection was lost; null for none. */
    interface Done {
        void over(@Nullable StandbyError refused, @Nullable String failure);
    }

    private final Done done;
    private int pending;
    private @Nullable StandbyError refused;
    private @Nullable String failure;

    private PrecedingCommands(int count, Done done) {
        this.pending = count;
        this.done = done;
    }

    /** Sends at least one packet. Each is written when it is sent, so that none is left if the one before throws. */
    static void send(ServerConnection connection, List<Supplier<ByteBuf>> packets, Done done) {
        PrecedingCommands commands = new PrecedingCommands(packets.size(), done);
        packets.forEach(packet -> connection.execute(packet.get(), commands));
    }

    static void sendTexts(ServerConnection connection, List<String> statements, Done done) {
        List<Supplier<ByteBuf>> packets = new ArrayList<>();
        statements.forEach(sql -> packets.add(() -> Commands.text(connection.alloc(), CommandCode.QUERY, sql)));
        send(connection, packets, done);
    }

    @Override
    public void onResponse(ResponseView response, int preparedId) {
        refused = refused == null ? StandbyError.of(response) : refused;
        completeOne();
    }

    @Override
    public void onFailure(String reason) {
        failure = reason;
        completeOne();
    }

    private void completeOne() {
        if (--pending == 0) {
            done.over(refused, failure);
        }
    }
}
