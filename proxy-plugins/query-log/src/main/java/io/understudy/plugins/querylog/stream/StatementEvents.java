package io.understudy.plugins.querylog.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.PreparedStatement;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.SessionContext;
import io.understudy.plugins.querylog.digests.DigestEntry;
import io.understudy.protocol.CommandCode;
import io.understudy.sql.Literals;
import io.understudy.sql.ParameterValues;
import io.understudy.sql.SqlModes;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes the events of one session. Used on its event loop, while somebody reads. */
public final class StatementEvents {
    private static final int TEXT_AT = 5; // after the header and the command code
    private static final int MICROS = 1_000_000;

    /** A statement that waits for its response. */
    public record Pending(
            DigestEntry entry,
            @Nullable Copied copied,
            boolean shown,
            @Nullable String schema,
            @Nullable String rule) {}

    /**
     * A copy of a command.
     *
     * @param types of the parameters as known before the command's response
     */
    private record Copied(
            byte[] packet, int modes, @Nullable PreparedStatement prepared, byte @Nullable [] types) {
        /** Called when the response is there: by then the number of parameters is known. */
        ExecutedText text() {
            PreparedStatement executed = prepared;
            if (executed == null) {
                return new ExecutedText(packet, TEXT_AT, modes, null);
            }
            byte[] sql = executed.text();
            byte[] known = types == null ? executed.parameterTypes() : types;
            return new ExecutedText(
                    sql == null ? new byte[0] : sql,
                    0,
                    modes,
                    new ParameterValues(packet, Math.max(0, executed.parameters()), known));
        }
    }

    private final SlowLogStream stream;
    private final SessionContext session;
    private final Clock clock;
    private final List<StreamReader> takers = new ArrayList<>(1);
    private @Nullable EventSession named;
    private String namedUser = "";

    public StatementEvents(SlowLogStream stream, SessionContext session, Clock clock) {
        this.stream = stream;
        this.session = session;
        this.clock = clock;
    }

    /** Copies what the event will need of the command. */
    public Pending begin(CommandView command, DigestEntry entry, @Nullable String rule) {
        PreparedStatement prepared = command.prepared();
        String schema = prepared == null ? session.schema() : prepared.schema();
        if (stream.literals() == Literals.DROP) {
            return new Pending(entry, null, entry.summary() != null, schema, rule);
        }
        String unfit = unfit(command, prepared);
        if (unfit != null) {
            stream.skipped(unfit);
            return new Pending(entry, null, false, schema, rule);
        }
        int modes = session.settings().sqlModes();
        if ((modes & SqlModes.QUOTES_UNKNOWN) != 0) {
            modes &= ~SqlModes.ANSI_QUOTES; // rather hash a name than show a value
        }
        byte[] packet = copy(command);
        if (packet == null) {
            stream.skipped("attributes");
            return new Pending(entry, null, false, schema, rule);
        }
        byte[] types = prepared == null ? null : prepared.parameterTypes();
        return new Pending(entry, new Copied(packet, modes, prepared, types), true, schema, rule);
    }

    private @Nullable String unfit(CommandView command, @Nullable PreparedStatement prepared) {
        if (!command.complete() || command.summary() == null) {
            return "too_long";
        }
        if (command.code() == CommandCode.STMT_BULK_EXECUTE) {
            return "bulk_execute";
        }
        if (!session.settings().known() || prepared != null && !prepared.wasPreparedUnder(session.settings())) {
            return "settings_unknown";
        }
        return prepared != null && prepared.longDataPending() ? "long_data" : null;
    }

    private static byte @Nullable [] copy(CommandView command) {
        ByteBuf copy = command.copyPacket(PooledByteBufAllocator.DEFAULT);
        if (copy == null) {
            return null;
        }
        try {
            byte[] bytes = new byte[copy.readableBytes()];
            copy.readBytes(bytes);
            return bytes;
        } finally {
            copy.release();
        }
    }

    /** Queues the event of a statement whose response is complete. */
    public void end(Pending statement, CommandView command, ResponseView response) {
        if (!statement.shown()) {
            return;
        }
        Copied copied = statement.copied();
        stream.offer(
                new StatementEvent(
                        session(),
                        statement.schema(),
                        statement.entry(),
                        copied == null ? null : copied.text(),
                        nowMicros(),
                        response.lastByteNanos() - command.receivedNanos(),
                        response.rows(),
                        response.affectedRows(),
                        response.bytes(),
                        response.errorCode(),
                        statement.rule()),
                takers);
    }

    /** Sends the end of the session to the readers that got some of its statements. */
    public void close() {
        if (!takers.isEmpty()) {
            stream.sessionEnded(
                    new StatementEvent(session(), session.schema(), null, null, nowMicros(), 0, 0, 0, 0, 0, null),
                    takers);
        }
    }

    private EventSession session() {
        EventSession known = named;
        String user = session.user();
        if (known == null || !user.equals(namedUser) || known.threadId() != session.serverThreadId()) {
            String address = session.clientAddress() instanceof InetSocketAddress inet && inet.getAddress() != null
                    ? inet.getAddress().getHostAddress()
                    : "";
            known = new EventSession(user, address, session.serverThreadId());
            named = known;
            namedUser = user;
        }
        return known;
    }

    private long nowMicros() {
        Instant now = clock.instant();
        return now.getEpochSecond() * MICROS + now.getNano() / 1_000;
    }
}
