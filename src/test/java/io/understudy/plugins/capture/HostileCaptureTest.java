package io.understudy.plugins.capture;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.it.querylog.HostileStatements;
import io.understudy.plugin.HashedResult;
import io.understudy.protocol.CommandCode;
import io.understudy.replay.log.LogEvent;
import io.understudy.replay.log.StatementLog;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a capture writes of hostile statements, its readers read: every byte of every one, and no other. */
@Timeout(240)
@Tag("long")
class HostileCaptureTest {
    private static final int EVENTS = 200_000;
    private static final long SEED = 42;
    private static final int FRAME = 256 * 1024;
    private static final Instant START = Instant.parse("2026-01-15T09:05:01Z");

    private static final List<CapturedSession> SESSIONS = List.of(
            session(1, "app", "shop", null, null),
            session(2, "we\n# Conn_ID: 9", "a`b\n# Payload_len: 2", "'+00:00'", "'ANSI_QUOTES'"),
            session(3, "", null, null, "'\\\n# Settings: \"x\"'"),
            session(Long.MAX_VALUE, "ä中\"\\", "\0", "'Europe/Berlin'", null));

    private static CapturedSession session(
            long id, String user, @Nullable String schema, @Nullable String zone, @Nullable String mode) {
        return new CapturedSession(
                id, id, user, "10.0.0.9", schema, 45, null, zone, mode, null, true, null, null, List.of());
    }

    private static CapturedCommand command(int i, byte[] text) {
        boolean ends = i % 1_000 == 999;
        HashedResult result = i % 3 == 0 ? new HashedResult(i, i * 7L, -i, i % 2 == 0) : null;
        return new CapturedCommand(
                SESSIONS.get(i % SESSIONS.size()),
                ends ? CommandCode.QUIT : CommandCode.QUERY,
                ends ? new byte[0] : text,
                null,
                null,
                i * 1_000L,
                5_000,
                i,
                0,
                i % 50 == 0 ? 1064 : 0,
                ends ? null : result,
                false);
    }

    /** The records of all frames, made as they are read. */
    private static final class Written extends InputStream {
        private final HostileStatements statements = new HostileStatements(SEED);
        private final RecordWriter writer = new RecordWriter(START, 0);
        private int made;
        private byte[] frame = new byte[0];
        private int at;

        @Override
        public int read(byte[] bytes, int offset, int length) {
            if (at == frame.length) {
                if (made == EVENTS) {
                    return -1;
                }
                writer.clear();
                while (writer.length() < FRAME && made < EVENTS) {
                    writer.write(command(made++, statements.next().sql().getBytes(StandardCharsets.UTF_8)));
                }
                frame = Arrays.copyOf(writer.bytes(), writer.length());
                at = 0;
            }
            int n = Math.min(length, frame.length - at);
            System.arraycopy(frame, at, bytes, offset, n);
            at += n;
            return n;
        }

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }
    }

    private static boolean isEqual(LogEvent event, CapturedCommand sent, int i) {
        CapturedSession session = sent.session();
        boolean ends = sent.code() == CommandCode.QUIT;
        return event.kind() == (ends ? LogEvent.Kind.QUIT : LogEvent.Kind.STATEMENT)
                && event.threadId() == session.id()
                && event.user().equals(session.user())
                && Objects.equals(event.schema(), session.schema())
                && Arrays.equals(event.text(), sent.payload())
                && event.startMicros() == START.toEpochMilli() * 1_000 + i
                && event.durationMicros() == 5
                && Objects.equals(event.settings(), session.settings())
                && Objects.equals(event.result(), sent.result());
    }

    @Test
    void everyEventIsReadAsItWasWritten() throws Exception {
        HostileStatements same = new HostileStatements(SEED);
        try (StatementLog log = StatementLog.open(new Written(), ZoneOffset.UTC)) {
            for (int i = 0; i < EVENTS; i++) {
                CapturedCommand sent = command(i, same.next().sql().getBytes(StandardCharsets.UTF_8));
                LogEvent event = Objects.requireNonNull(log.next());
                // Formatted only where it fails: there are many.
                if (!isEqual(event, sent, i)) {
                    assertThat(event.toString()).as("event %d", i).isEqualTo(sent.toString());
                }
            }
            assertThat(log.next()).isNull();
            assertThat(log.counts().refused()).isEmpty();
            assertThat(log.counts().events()).isEqualTo(EVENTS);
        }
    }
}
