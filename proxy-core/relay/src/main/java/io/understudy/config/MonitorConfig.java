package io.understudy.config;

import io.understudy.base.Secret;
import io.understudy.config.bind.Checks;

/**
 * The account with which the proxy queries the primary: health, role, semi-synchronous state, binary log.
 *
 * @param user its name
 * @param password its password; empty for none
 */
public record MonitorConfig(String user, Secret password) {

    public MonitorConfig {
        new Checks()
                .required(user, "user", "the account for the proxy's own queries")
                .that(user == null || !user.isEmpty(), "user", "is empty; write the account's name")
                .done();
        password = password == null ? Secret.parse("") : password;
    }
}
