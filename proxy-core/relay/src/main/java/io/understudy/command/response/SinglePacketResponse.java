package io.understudy.command.response;

import io.netty.buffer.ByteBuf;
import io.understudy.protocol.Capabilities;
import io.understudy.wire.Marker;

/** A response of one packet: OK, EOF, ERR, or, for COM_STATISTICS, a plain string. */
final class SinglePacketResponse extends ResponseGrammar {
    private static final int OK_MIN = 7;

    @Override
    public int packet(ResponseProgress p, int length, int first) {
        return switch (first) {
            case Marker.OK -> {
                p.end();
                yield length >= OK_MIN ? OK_PACKET : 0;
            }
            case Marker.EOF -> {
                p.end();
                yield isOk(p, length) ? OK_PACKET : EOF_LENGTH;
            }
            case Marker.ERR -> ERR_LIMIT;
            default -> {
                p.end();
                yield 0;
            }
        };
    }

    /** Where EOF is deprecated, an OK packet with the marker of an EOF packet replaces it. */
    private static boolean isOk(ResponseProgress p, int length) {
        return length >= OK_MIN && p.has(Capabilities.DEPRECATE_EOF);
    }

    @Override
    public void inspect(ResponseProgress p, ByteBuf buf, int index, int length) {
        switch (p.first) {
            case Marker.OK -> p.readOk(buf, index, length);
            case Marker.EOF -> {
                if (isOk(p, length)) {
                    p.readOk(buf, index, length);
                } else {
                    p.readEof(buf, index, length);
                }
            }
            default -> error(p, buf, index, length);
        }
    }
}
