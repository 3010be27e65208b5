package io.understudy.command.response;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.Marker;

/**
 * The answer to COM_CHANGE_USER: a dialogue as at login, over with OK or ERR. Whatever else the server sends belongs to
 * the authentication plugin and may be answered by the client.
 */
final class AuthenticationResponse extends ResponseGrammar {
    @Override
    public int packet(ResponseProgress p, int length, int first) {
        if (first == Marker.OK) {
            p.end();
            return OK_PACKET;
        }
        if (first == Marker.ERR) {
            p.end();
            return ERR_LIMIT;
        }
        p.wantClientData(true);
        return 0;
    }

    /** The dialogue counts on from the command; number 0 is a command sent ahead of the server's verdict. */
    @Override
    public boolean takesClientPacket(int sequence) {
        return sequence != 0;
    }

    @Override
    public void look(ResponseProgress p, ByteBuf buf, int index, int length) {
        if (p.first == Marker.OK) {
            p.readOk(buf, index, length);
        } else {
            p.readErr(buf, index, length);
        }
    }
}
