package io.understudy.plugins.blackbox.outcome;

import io.netty.buffer.ByteBuf;
import io.understudy.plugins.binlog.EventHeader;
import io.understudy.plugins.binlog.EventType;
import io.understudy.sql.TransactionToken;
import org.jspecify.annotations.Nullable;

/**
 * Finds the client's name of the transaction in transit in the texts with which MariaDB annotates its rows. Nothing
 * else of such a text is evidence: of a trigger or a procedure it is the statement within. Not thread-safe.
 */
public final class EventTokens {
    private int checksum;
    private @Nullable String token;

    /** Called with the format description event of the events that follow. */
    public void format(byte[] event) {
        try {
            checksum = EventHeader.checksumBytes(event);
        } catch (IndexOutOfBoundsException e) {
            checksum = 0; // the parser reports it
        }
    }

    /** See {@link io.understudy.plugins.binlog.BinlogEvents#onEvent}. Returns whether it is such a text. */
    public boolean event(ByteBuf buf, int index, int length, boolean first, boolean whole) {
        if (first) {
            token = null;
        }
        if (length <= EventHeader.LENGTH + checksum || EventHeader.type(buf, index) != EventType.ANNOTATE_ROWS) {
            return false;
        }
        if (whole) {
            byte[] text = new byte[length - EventHeader.LENGTH - checksum];
            buf.getBytes(index + EventHeader.LENGTH, text);
            String named = TransactionToken.in(text, 0, text.length);
            token = named == null ? token : named;
        }
        return true;
    }

    /** Returns that of the transaction that has ended; null if it has none. */
    public @Nullable String take() {
        String taken = token;
        token = null;
        return taken;
    }
}
