package io.understudy.command.response;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.Marker;

/** One packet: OK, EOF, ERR, or, for COM_STATISTICS, a plain string. */
final class SinglePacketAnswer extends Answer {
    @Override
    public int packet(AnswerProgress p, int length, int first) {
        return switch (first) {
            case Marker.OK -> {
                p.end();
                yield length >= 7 ? OK_LIMIT : 0;
            }
            case Marker.EOF -> {
                p.end();
                yield EOF_LENGTH;
            }
            case Marker.ERR -> ERR_LIMIT;
            default -> {
                p.end();
                yield 0;
            }
        };
    }

    @Override
    public void look(AnswerProgress p, ByteBuf buf, int index, int length) {
        switch (p.first) {
            case Marker.OK -> p.readOk(buf, index, length);
            case Marker.EOF -> p.readEof(buf, index, length);
            default -> {
                if (!isProgressReport(p, buf, index, length)) {
                    p.readErr(buf, index, length);
                    p.end();
                }
            }
        }
    }
}
