package io.understudy.plugins.blackbox.outcome;

import io.netty.buffer.ByteBuf;
import io.understudy.plugins.binlog.EventHeader;
import io.understudy.plugins.binlog.EventType;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Hashes the texts with which MariaDB annotates the rows of the transaction in transit. Not thread-safe. */
public final class EventTexts {
    private static final int MOST = 64;
    private static final long[] NONE = {};

    private int checksum;
    private long[] hashes = NONE;
    private boolean known = true;

    /** Called with the format description event of the events that follow. */
    public void format(byte[] event) {
        try {
            checksum = EventHeader.checksumBytes(
                    io.netty.buffer.Unpooled.wrappedBuffer(event), 0, event.length, event.length);
        } catch (IndexOutOfBoundsException e) {
            checksum = 0; // the parser reports it
        }
    }

    /** See {@link io.understudy.plugins.binlog.BinlogEvents#onEvent}. Returns whether it is such a text. */
    public boolean event(ByteBuf buf, int index, int length, boolean first, boolean whole) {
        if (first) {
            hashes = NONE;
            known = true;
        }
        if (length <= EventHeader.LENGTH + checksum || EventHeader.type(buf, index) != EventType.ANNOTATE_ROWS) {
            return false;
        }
        if (!whole || hashes.length == MOST) {
            known = false;
            return true;
        }
        String text = buf.toString(
                index + EventHeader.LENGTH, length - EventHeader.LENGTH - checksum, StandardCharsets.UTF_8);
        hashes = Arrays.copyOf(hashes, hashes.length + 1);
        hashes[hashes.length - 1] = AnnotatedTexts.hash(text);
        return true;
    }

    /** Returns those of the transaction that has ended; null if they are not known, or it has none. */
    public long @Nullable [] take() {
        long[] taken = known && hashes.length > 0 ? hashes : null;
        hashes = NONE;
        return taken;
    }
}
