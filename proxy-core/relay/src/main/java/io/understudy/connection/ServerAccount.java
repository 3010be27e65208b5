package io.understudy.connection;

import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;

/** A server and the account to log in with. */
record ServerAccount(Address address, String user, Secret password, ServerTlsConfig tls) {
    /** @param why step, reason and remedy */
    ServerConnectionException failure(String why) {
        return new ServerConnectionException(prefix() + why);
    }

    ServerConnectionException failure(String why, Throwable cause) {
        return new ServerConnectionException(prefix() + why, cause);
    }

    private String prefix() {
        return "no connection to " + address + " as '" + user + "': ";
    }
}
