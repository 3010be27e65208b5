package io.understudy.config;

import io.understudy.base.ByteSize;
import io.understudy.base.Secret;
import io.understudy.config.bind.Checks;

/**
 * The account on the standbys for {@code report pages} and {@code defragment}, and up to which size a buffer pool is
 * read.
 *
 * @param user its name; the same on every standby
 * @param password its password; empty for none
 * @param poolLimit a larger buffer pool is read only on explicit demand
 */
public record PagesConfig(String user, Secret password, ByteSize poolLimit) {
    private static final ByteSize DEFAULT_LIMIT = new ByteSize(16L << 30);

    public PagesConfig {
        new Checks()
                .required(user, "user", "the account for reports on pages and for rebuilding tables")
                .that(user == null || !user.isEmpty(), "user", "is empty; write the account's name")
                .done();
        password = password == null ? Secret.parse("") : password;
        poolLimit = poolLimit == null ? DEFAULT_LIMIT : poolLimit;
    }
}
