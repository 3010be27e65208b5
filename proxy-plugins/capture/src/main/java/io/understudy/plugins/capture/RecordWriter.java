package io.understudy.plugins.capture;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.base.RecentlyUsed;
import io.understudy.plugin.HashedResult;
import io.understudy.plugin.PreparedStatement;
import io.understudy.protocol.CommandCode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes commands as records: lines of {@code # Key: value}, the last of which is the payload's length, then the
 * payload's bytes and a line break. A superset of TiProxy's capture format. What an earlier record of the same frame
 * said of the session is not repeated; every frame can be read alone. Not thread-safe.
 */
final class RecordWriter {
    private static final int MICROS = 1_000;

    /** The values of a session that the present frame has already. */
    private static final class Said {
        @Nullable
        CapturedSession session;

        /** By id, as readers know them. */
        final Map<Integer, PreparedStatement> prepared = new RecentlyUsed<>(CaptureStream.STATEMENTS);
    }

    private final Instant anchor;
    private final long anchorNanos;
    private final Map<Long, Said> said = new HashMap<>();
    private final ByteBuf out = Unpooled.buffer(1 << 16);

    /** @param anchor wall clock at {@code anchorNanos}: within a capture, times are as even as the monotonic clock */
    RecordWriter(Instant anchor, long anchorNanos) {
        this.anchor = anchor;
        this.anchorNanos = anchorNanos;
    }

    /** Returns an array that begins with what was written. */
    byte[] bytes() {
        return out.array();
    }

    int length() {
        return out.readableBytes();
    }

    /** Begins the next frame. */
    void clear() {
        out.clear();
        said.clear();
    }

    void write(CapturedCommand command) {
        CapturedSession session = command.session();
        Said frame = said.computeIfAbsent(session.id(), id -> new Said());
        put("# Time: ")
                .put(anchor.plus(command.startNanos() - anchorNanos, ChronoUnit.NANOS)
                        .truncatedTo(ChronoUnit.MICROS)
                        .toString());
        put("\n# Conn_ID: ").put(session.id());
        if (command.code() != CommandCode.QUERY) {
            put("\n# Cmd_type: ").put(type(command.code()));
        }
        if (command.errorCode() != 0) {
            put("\n# Success: false\n# Errno: ").put(command.errorCode());
        }
        if (command.reset()) {
            put("\n# Reset: true");
        }
        session(session, frame);
        PreparedStatement prepared = command.prepared();
        if (prepared != null) {
            execution(command, prepared, frame);
        }
        put("\n# Took_us: ").put(command.nanos() / MICROS);
        if (command.rows() != 0) {
            put("\n# Rows: ").put(command.rows());
        }
        if (command.affectedRows() != 0) {
            put("\n# Affected_rows: ").put(command.affectedRows());
        }
        HashedResult result = command.result();
        if (result != null) {
            put("\n# Rows_hash: ").put(result.hashes());
        }
        byte[] payload = command.payload();
        put("\n# Payload_len: ").put(payload.length).put("\n");
        out.writeBytes(payload);
        put("\n");
        if (command.code() == CommandCode.QUIT) {
            said.remove(session.id());
        }
    }

    private static String type(int code) {
        return switch (code) {
            case CommandCode.QUIT -> "Quit";
            case CommandCode.STMT_EXECUTE -> "StmtExecute";
            default -> throw new IllegalArgumentException("no name for command " + code);
        };
    }

    @SuppressWarnings("ReferenceEquality") // sessions keep the object while nothing changes
    private void session(CapturedSession session, Said frame) {
        CapturedSession before = frame.session;
        if (before == session) {
            return;
        }
        frame.session = session;
        if (before == null || !before.user().equals(session.user())) {
            put("\n# User: ").quoted(session.user().getBytes(StandardCharsets.UTF_8));
        }
        if (before == null) {
            put("\n# Server_thread: ").put(session.serverThread());
            put("\n# Capture: ").put(anchor.toString());
            if (!session.client().isEmpty()) {
                put("\n# Client: ").put(session.client());
            }
        }
        if (before == null || !Objects.equals(before.schema(), session.schema())) {
            put("\n# Schema: ")
                    .quoted(Objects.requireNonNullElse(session.schema(), "").getBytes(StandardCharsets.UTF_8));
        }
        String settings = session.settings();
        if (before == null || !before.settings().equals(settings)) {
            put("\n# Settings: ").quoted(settings.getBytes(StandardCharsets.UTF_8));
        }
        text(
                "Transaction",
                Objects.requireNonNullElse(session.transaction(), ""),
                before == null ? "" : Objects.requireNonNullElse(before.transaction(), ""));
        text("Write_settings", session.writeSettings(), before == null ? "" : before.writeSettings());
        text("Not_captured", session.notCaptured(), before == null ? "" : before.notCaptured());
    }

    /** Writes a value unless the frame has it; without a value, a session has an empty one. */
    private void text(String key, String value, String before) {
        if (!value.equals(before)) {
            put("\n# ").put(key).put(": ").quoted(value.getBytes(StandardCharsets.UTF_8));
        }
    }

    @SuppressWarnings("ReferenceEquality") // an id may come again with another text
    private void execution(CapturedCommand command, PreparedStatement prepared, Said frame) {
        put("\n# Captured_ps_id: ").put(prepared.id());
        byte[] text = prepared.text();
        if (text != null && frame.prepared.put(prepared.id(), prepared) != prepared) {
            put("\n# Prepared_stmt: ").quoted(text);
        }
        put("\n# Params: ").put(Math.max(0, prepared.parameters()));
        byte[] types = command.types();
        if (types != null && types.length > 0) {
            put("\n# Param_types: ").put(HexFormat.of().formatHex(types));
        }
    }

    /** Writes a text in Go's quotes, as TiProxy has them. */
    private void quoted(byte[] text) {
        put("\"");
        for (byte c : text) {
            switch (c) {
                case '\n' -> put("\\n");
                case '\r' -> put("\\r");
                case '\t' -> put("\\t");
                case '"' -> put("\\\"");
                case '\\' -> put("\\\\");
                default -> {
                    if (c >= ' ' && c < 127) {
                        out.writeByte(c);
                    } else {
                        put("\\x").put(HexFormat.of().toHexDigits(c));
                    }
                }
            }
        }
        put("\"");
    }

    private RecordWriter put(String text) {
        out.writeCharSequence(text, StandardCharsets.ISO_8859_1);
        return this;
    }

    private RecordWriter put(long number) {
        return put(Long.toString(number));
    }
}
