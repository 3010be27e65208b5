package io.understudy.command.response;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.Marker;

/**
 * The endless response to COM_BINLOG_DUMP and similar commands. Every packet begins with 0x00; an EOF packet ends the
 * stream of a client that asked not to wait, an ERR packet ends it with an error. Packets that the client sends
 * meanwhile, the acknowledgements of a semi-synchronous replica, belong to the stream.
 */
final class StreamResponse extends ResponseGrammar {
    @Override
    public int packet(ResponseProgress p, int length, int first) {
        if (first == Marker.ERR) {
            p.end();
            return ERR_LIMIT;
        }
        if (first == Marker.EOF && length < 9) {
            p.end();
            return 0;
        }
        p.wantClientData(true);
        return 0;
    }

    @Override
    public void inspect(ResponseProgress p, ByteBuf buf, int index, int length) {
        p.readErr(buf, index, length);
    }
}
