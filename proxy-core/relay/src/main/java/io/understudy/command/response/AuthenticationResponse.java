package io.understudy.command.response;

import io.netty.buffer.ByteBuf;
import io.understudy.wire.Marker;

/**
 * The response to COM_CHANGE_USER: an exchange as at login that ends with OK or ERR. Other packets belong to the
 * authentication plugin, and the client may respond to them.
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

    /** Numbers of the exchange continue from the command; number 0 is a command sent before the server has decided. */
    @Override
    public boolean takesClientPacket(int sequence) {
        return sequence != 0;
    }

    @Override
    public void inspect(ResponseProgress p, ByteBuf buf, int index, int length) {
        if (p.first == Marker.OK) {
            p.readOk(buf, index, length);
        } else {
            p.readErr(buf, index, length);
        }
    }
}
