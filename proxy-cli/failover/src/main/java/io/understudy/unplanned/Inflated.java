package io.understudy.unplanned;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import io.understudy.plugins.binlog.EventType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * MariaDB's compressed events ({@code log_bin_compress}) as the events that they stand for: the last part of the body
 * is a byte whose lowest three bits are the number of bytes of the length that follows, in network order, and then a
 * zlib stream.
 */
final class Inflated {
    /** Version 1 of compressed rows inserted, updated and deleted, then version 2. */
    static final int FIRST_ROWS = 166;

    static final int LAST_ROWS = 171;

    private static final int QUERY_FIXED = 13;

    private static final int END = 0;
    private static final int COMPRESSION = 2;
    private static final int LENGTH = 3;
    private static final int ZSTD = 0;

    private Inflated() {}

    static RawEvent query(RawEvent event) throws NotApplicable {
        ByteBuffer body = event.body();
        int at = RawEvent.HEADER;
        int text = QUERY_FIXED + Short.toUnsignedInt(body.getShort(at + 11)) + (body.get(at + 8) & 0xff) + 1;
        return inflated(event, EventType.QUERY, text);
    }

    /** Rows: table id (6), flags (2), in version 2 extra data with its length (2); number of columns, bitmaps, rows. */
    static RawEvent rows(RawEvent event) throws NotApplicable {
        int kind = event.type() - FIRST_ROWS;
        boolean second = kind >= 3;
        ByteBuffer body = event.body().position(RawEvent.HEADER + 8);
        if (second) {
            body.position(body.position() + Short.toUnsignedInt(body.getShort(body.position())));
        }
        int columns = lengthEncoded(body);
        boolean update = kind % 3 == 1;
        int rows = body.position() - RawEvent.HEADER + (columns + 7) / 8 * (update ? 2 : 1);
        return inflated(event, (second ? 30 - 3 : 23) + kind, rows);
    }

    /** Returns the events of a compressed transaction, which have no checksums. */
    static byte[] transaction(RawEvent event) throws NotApplicable {
        ByteBuffer in = event.body();
        int compression = ZSTD;
        int length = 0;
        for (int field = lengthEncoded(in); field != END; field = lengthEncoded(in)) {
            int end = lengthEncoded(in) + in.position();
            if (field == COMPRESSION) {
                compression = lengthEncoded(in);
            } else if (field == LENGTH) {
                length = lengthEncoded(in);
            }
            in.position(end);
        }
        byte[] payload = new byte[in.remaining()];
        in.get(payload);
        if (compression != ZSTD) {
            return payload;
        }
        byte[] events = new byte[length];
        try {
            if (Zstd.decompress(events, payload) != length) {
                throw new NotApplicable("compressed, and breaks off");
            }
        } catch (ZstdException | LinkageError e) {
            throw new NotApplicable("compressed, and cannot be read (" + e.getMessage() + ")");
        }
        return events;
    }

    private static int lengthEncoded(ByteBuffer in) {
        int first = in.get() & 0xff;
        return switch (first) {
            case 252 -> Short.toUnsignedInt(in.getShort());
            case 253 -> Short.toUnsignedInt(in.getShort()) | (in.get() & 0xff) << 16;
            case 254 -> Math.toIntExact(in.getLong());
            default -> first;
        };
    }

    private static RawEvent inflated(RawEvent event, int type, int at) throws NotApplicable {
        ByteBuffer in = event.body().position(RawEvent.HEADER + at).order(ByteOrder.BIG_ENDIAN);
        int bytes = in.get() & 7;
        int length = 0;
        for (int i = 0; i < bytes; i++) {
            length = length << 8 | in.get() & 0xff;
        }
        byte[] body = Arrays.copyOfRange(event.bytes(), RawEvent.HEADER, RawEvent.HEADER + at + length);
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(in);
            int done = 0;
            for (int more = 1; more > 0 && done < length; done += more) {
                more = inflater.inflate(body, at + done, length - done);
            }
            if (done < length) {
                throw new NotApplicable("compressed, and breaks off");
            }
        } catch (DataFormatException e) {
            throw new NotApplicable("compressed, and cannot be read (" + e.getMessage() + ")");
        } finally {
            inflater.end();
        }
        return event.with(type, body);
    }
}
