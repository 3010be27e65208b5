package io.understudy.connection;

import io.understudy.config.Address;
import io.understudy.wire.packet.ErrPacket;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A server and what to log in with.
 *
 * @param exact whether the server must have every capability of the login, as a client relies on them
 * @param serverKey file of the server's RSA public key, PEM; null if none was given
 */
record ServerAccount(
        Address address,
        ServerLogin login,
        boolean exact,
        @Nullable Path serverKey) {
    /** @param why step, reason and remedy */
    ServerConnectionException failure(String why, @Nullable Throwable cause) {
        return new ServerConnectionException(
                "no connection to " + address + " as '" + login.user() + "': " + why, cause);
    }

    /** Returns what the server says in an error, and the remedy. */
    String refusal(ErrPacket err) {
        return err.text() + "; "
                + AccountRemedy.of(err.code(), err.message(), login.user(), exact ? "the client" : "the configuration");
    }
}
