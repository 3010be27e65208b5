package io.understudy.command.response;

import io.understudy.wire.Marker;

/**
 * The response to a command that neither product had when this was written. Its end is not known, so it ends when the
 * client sends its next command. Only an ERR packet at its beginning, as sent by a server that does not know the
 * command either, is a complete response.
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
