package io.understudy.client;

import io.understudy.config.Address;
import io.understudy.config.BackendTls;
import io.understudy.config.Secret;

/** Where to log in, and as whom. */
record ServerAccount(Address address, String user, Secret password, BackendTls tls) {
    /** @param why step, reason and remedy */
    WireException failure(String why) {
        return new WireException(prefix() + why);
    }

    WireException failure(String why, Throwable cause) {
        return new WireException(prefix() + why, cause);
    }

    private String prefix() {
        return "no connection to " + address + " as '" + user + "': ";
    }
}
