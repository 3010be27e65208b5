package io.understudy.config;

import io.understudy.base.Secret;
import io.understudy.config.bind.Checks;

/**
 * A user whose sessions the proxy logs in to a new primary with a password of its own.
 *
 * @param user the clients' user name
 * @param password the proxy's password of that user
 */
public record FailoverAccount(String user, Secret password) {
    public FailoverAccount {
        new Checks()
                .required(user, "user", "the user name whose sessions move with this password")
                .required(password, "password", "the proxy's own password of that user")
                .done();
    }
}
