package io.understudy.unplanned;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.ByteBufUtil;
import io.understudy.plugins.binlog.EventType;
import io.understudy.wire.LengthEncoded;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.zip.InflaterInputStream;

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
        ByteBuf body = event.body().slice();
        int text = QUERY_FIXED + body.getUnsignedShortLE(11) + body.getUnsignedByte(8) + 1;
        return inflated(event, EventType.QUERY, text);
    }

    /** Rows: table id (6), flags (2), in version 2 extra data with its length (2); number of columns, bitmaps, rows. */
    static RawEvent rows(RawEvent event) throws NotApplicable {
        int kind = event.type() - FIRST_ROWS;
        boolean second = kind >= 3;
        ByteBuf body = event.body().slice();
        body.skipBytes(second ? 8 + body.getUnsignedShortLE(8) : 8);
        int columns = (int) LengthEncoded.read(body);
        boolean update = kind % 3 == 1;
        int rows = body.readerIndex() + (columns + 7) / 8 * (update ? 2 : 1);
        return inflated(event, (second ? 30 - 3 : 23) + kind, rows);
    }

    /** Returns the events of a compressed transaction, which have no checksums. */
    static byte[] transaction(RawEvent event) throws NotApplicable {
        ByteBuf in = event.body();
        long compression = ZSTD;
        long length = 0;
        for (long field = LengthEncoded.read(in); field != END; field = LengthEncoded.read(in)) {
            ByteBuf value = in.readSlice(LengthEncoded.readLength(in));
            if (field == COMPRESSION) {
                compression = LengthEncoded.read(value);
            } else if (field == LENGTH) {
                length = LengthEncoded.read(value);
            }
        }
        byte[] payload = ByteBufUtil.getBytes(in);
        if (compression != ZSTD) {
            return payload;
        }
        byte[] events = new byte[Math.toIntExact(length)];
        try {
            if (Zstd.decompress(events, payload) != length) {
                throw new NotApplicable("compressed, and breaks off");
            }
        } catch (ZstdException | LinkageError e) {
            throw new NotApplicable("compressed, and cannot be read (" + e.getMessage() + ")");
        }
        return events;
    }

    private static RawEvent inflated(RawEvent event, int type, int at) throws NotApplicable {
        ByteBuf in = event.body().skipBytes(at);
        int bytes = in.readByte() & 7;
        int length = 0;
        for (int i = 0; i < bytes; i++) {
            length = length << 8 | in.readUnsignedByte();
        }
        byte[] body = Arrays.copyOfRange(event.bytes(), RawEvent.HEADER, RawEvent.HEADER + at + length);
        try (InputStream plain = new InflaterInputStream(new ByteBufInputStream(in))) {
            if (plain.readNBytes(body, at, length) < length) {
                throw new NotApplicable("compressed, and breaks off");
            }
        } catch (IOException e) {
            throw new NotApplicable("compressed, and cannot be read (" + e.getMessage() + ")");
        }
        return event.with(type, body);
    }
}
