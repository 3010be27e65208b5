package io.understudy.config;

import io.understudy.base.Secret;
import io.understudy.config.bind.Checks;

/**
 * The account on all servers with which {@code switchover} changes the primary. The running proxy does not use it.
 *
 * @param user its name
 * @param password its password; empty for none
 */
public record SwitchoverConfig(String user, Secret password) {

    public SwitchoverConfig {
        new Checks()
                .required(user, "user", "the account for planned changes of the primary")
                .that(user == null || !user.isEmpty(), "user", "is empty; write the account's name")
                .done();
        password = password == null ? Secret.parse("") : password;
    }
}
