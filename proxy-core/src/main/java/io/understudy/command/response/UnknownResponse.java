package io.understudy.command.response;

import io.understudy.wire.Marker;

/**
 * The answer to a command that neither product had when this was written. Its bytes flow; nothing says where it ends, so
 * it is over when the client sends its next command. Only an ERR packet at its beginning, as a server sends that does not
 * know the command either, is all of it.
 */
final class UnknownResponse extends ResponseGrammar {
    @Override
    public int packet(ResponseProgress p, int length, int first) {
        if (p.packets() == 1 && first == Marker.ERR) {
            p.end();
        }
        return 0;
    }
}
