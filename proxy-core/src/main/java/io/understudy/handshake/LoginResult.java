package io.understudy.handshake;

import io.understudy.wire.packet.ClientReply;
import io.understudy.wire.packet.Greeting;

/**
 * A login that the server has accepted.
 *
 * @param capabilities that client and server have agreed on
 * @param status bits of the server's OK packet
 */
public record LoginResult(Greeting greeting, ClientReply reply, long capabilities, int status) {}
