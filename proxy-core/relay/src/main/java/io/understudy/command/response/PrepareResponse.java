package io.understudy.command.response;

import io.netty.buffer.ByteBuf;
import io.understudy.protocol.Capabilities;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.Marker;
import io.understudy.wire.PacketSink;

/**
 * The response to COM_STMT_PREPARE: ids and counts, then parameter definitions, then column definitions, each run
 * closed by an EOF packet unless EOF is deprecated.
 */
final class PrepareResponse extends ResponseGrammar {
    private static final int HEAD = 0;
    private static final int DEFINITIONS = 1;
    private static final int MIN_LENGTH = 12;

    @Override
    public int packet(ResponseProgress p, int length, int first) {
        if (first == Marker.ERR) {
            return ERR_LIMIT;
        }
        if (p.phase == HEAD) {
            if (first == Marker.OK) {
                return MIN_LENGTH + 1;
            }
            throw new MalformedPacketException(
                    MalformedPacketException.Kind.RESPONSE_START,
                    "the response to COM_STMT_PREPARE begins with byte " + first);
        }
        p.remaining--;
        if (p.remaining == 0) {
            p.remaining = p.following;
            p.following = 0;
            if (p.remaining == 0) {
                p.end();
            }
        }
        return p.has(Capabilities.MARIADB_CACHE_METADATA) && length <= PacketSink.MAX_SHOWN ? length : 0;
    }

    @Override
    public void inspect(ResponseProgress p, ByteBuf buf, int index, int length) {
        if (p.first == Marker.ERR) {
            error(p, buf, index, length);
            return;
        }
        if (p.phase == DEFINITIONS) {
            if (p.first != Marker.EOF) {
                p.definition(buf, index, length);
            }
            return;
        }
        if (length < MIN_LENGTH) {
            throw new MalformedPacketException(
                    MalformedPacketException.Kind.RESPONSE_START, "the response to COM_STMT_PREPARE is cut off");
        }
        int columns = buf.getUnsignedShortLE(index + 5);
        int parameters = buf.getUnsignedShortLE(index + 7);
        p.prepared(buf.getIntLE(index + 1), parameters, columns);
        boolean described = !p.has(Capabilities.OPTIONAL_RESULTSET_METADATA)
                || length == MIN_LENGTH
                || buf.getByte(index + MIN_LENGTH) != 0;
        int closing = p.has(Capabilities.DEPRECATE_EOF) ? 0 : 1;
        long first = parameters == 0 || !described ? 0 : parameters + closing;
        long second = columns == 0 || !described ? 0 : columns + closing;
        p.remaining = first > 0 ? first : second;
        p.following = first > 0 ? second : 0;
        p.phase = DEFINITIONS;
        if (p.remaining == 0) {
            p.end();
        }
    }
}
