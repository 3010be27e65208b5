package io.understudy.plugins.mirror.playback;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.ServerResponse;
import io.understudy.plugins.mirror.statement.Commands;
import io.understudy.plugins.mirror.warmth.ProbeResult;
import io.understudy.protocol.CommandCode;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A mirrored SELECT whose page reads the standby counts. MariaDB gets it as {@code ANALYZE FORMAT=JSON SELECT …}
 * instead of its plain form: it reads the same pages and returns the counts in place of the rows. MySQL gets it as it
 * is, between two readings of its thread's file reads. On the connection's event loop.
 */
final class Probe {
    /** Receives the result. */
    interface Listener {
        void probed(MirroredStatement statement, double share, ProbeResult result);
    }

    private static final String THREAD_READS =
            "SELECT COUNT_STAR FROM performance_schema.events_waits_summary_by_thread_by_event_name"
                    + " WHERE THREAD_ID = PS_CURRENT_THREAD_ID()"
                    + " AND EVENT_NAME = 'wait/io/file/innodb/innodb_data_file'";
    private static final int LARGEST = 64 * 1024;
    /** A binary row of one column begins with 0x00 and a null bitmap of one byte. */
    private static final int BINARY_ROW_HEAD = 2;

    private final MirroredStatement statement;
    private final double share;
    private final Listener listener;
    private final boolean analyzes;
    private @Nullable String value;
    private @Nullable Long before;
    private boolean executed;
    private boolean timedOut;

    /** @param share of the SELECTs that are probes */
    Probe(MirroredStatement statement, ServerFlavor standby, double share, Listener listener) {
        this.statement = statement;
        this.share = share;
        this.listener = listener;
        this.analyzes = standby == ServerFlavor.MARIADB;
    }

    /** Returns whether the standby returns the count in place of the rows. */
    boolean analyzes() {
        return analyzes;
    }

    /** Returns the bytes of a row to be passed to {@link #row}. */
    int rowBytes() {
        return analyzes ? LARGEST : 0;
    }

    void row(ByteBuf buf, int index, int shown, int length) {
        int at = statement.prepared() == null ? 0 : BINARY_ROW_HEAD;
        value = shown < length ? null : text(buf, index + at, index + shown);
    }

    /** Returns the length-encoded string at {@code at}, or null if there is none. */
    private static @Nullable String text(ByteBuf buf, int at, int end) {
        if (at >= end) {
            return null;
        }
        int first = buf.getUnsignedByte(at);
        int size = first == 0xFC ? 3 : first == 0xFD ? 4 : 1;
        if (first == 0xFB || first > 0xFD || at + size > end) {
            return null;
        }
        int length = first == 0xFC
                ? buf.getUnsignedShortLE(at + 1)
                : first == 0xFD ? buf.getUnsignedMediumLE(at + 1) : first;
        return at + size + length > end ? null : buf.toString(at + size, length, StandardCharsets.UTF_8);
    }

    /** Called when the standby has executed the statement without an error. */
    void executed() {
        executed = true;
        if (!analyzes) {
            return; // the second reading of the counter is due
        }
        String json = value;
        value = null;
        end(json == null ? ProbeResult.of(ProbeResult.Outcome.UNREADABLE) : ProbeResult.parse(json));
    }

    /** Called when the standby has ended the statement after its maximum time, or because it was killed. */
    void timedOut() {
        timedOut = true;
        if (analyzes) {
            lost();
        }
    }

    /** Called when the connection was closed because the statement took too long; no counter is read any more. */
    void lost() {
        end(ProbeResult.of(ProbeResult.Outcome.TIMEOUT));
    }

    /** Called when the standby refuses the analyzed form, or to prepare the statement. */
    void refused() {
        end(ProbeResult.of(ProbeResult.Outcome.REFUSED));
    }

    private void end(ProbeResult result) {
        listener.probed(statement, share, result);
    }

    /** Returns the command that reads the thread's counter. */
    static ByteBuf counter(ByteBufAllocator alloc) {
        return Commands.text(alloc, CommandCode.QUERY, THREAD_READS);
    }

    /** Returns the handler of the first or second reading of the counter. */
    ServerResponse counted(boolean after) {
        return new ServerResponse() {
            private @Nullable Long count;

            @Override
            public int rowBytes() {
                return 64;
            }

            @Override
            public void onRow(ByteBuf buf, int index, int shown, int length) {
                String text = text(buf, index, index + shown);
                try {
                    count = text == null ? null : Long.valueOf(text);
                } catch (NumberFormatException e) {
                    count = null;
                }
            }

            @Override
            public void onResponse(ResponseView response, int preparedId) {
                Long first = before;
                Long now = count;
                if (!after) {
                    before = now;
                } else if (timedOut) {
                    end(ProbeResult.of(ProbeResult.Outcome.TIMEOUT));
                } else if (!executed) {
                    end(ProbeResult.of(ProbeResult.Outcome.REFUSED));
                } else if (first == null || now == null) {
                    end(ProbeResult.of(ProbeResult.Outcome.NO_COUNTERS));
                } else {
                    end(ProbeResult.counted(Math.max(0, now - first)));
                }
            }

            @Override
            public void onFailure(String reason) {
                // The statement's own handler reports the lost connection.
            }
        };
    }
}
