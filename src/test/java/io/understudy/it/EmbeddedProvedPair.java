package io.understudy.it;

import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import io.understudy.embedded.ServerOptions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** The embedded MariaDB. */
final class EmbeddedProvedPair implements ProvedPair {
    private final EmbeddedPair pair;

    EmbeddedProvedPair(String... arguments) {
        pair = EmbeddedPair.start(PairOptions.defaults()
                .withSemiSyncTimeout(Duration.ofMinutes(2))
                .withPrimary(ServerOptions.of(1).withArguments(arguments))
                .withStandby(ServerOptions.of(2).withArguments(arguments)));
        pair.primary().execute(InstalledPair.MARIADB_SCHEMA);
        pair.primary().execute("SET GLOBAL rpl_semi_sync_master_wait_point = 'AFTER_SYNC'");
        pair.awaitCaughtUp(Duration.ofSeconds(30));
    }

    @Override
    public boolean mariadb() {
        return true;
    }

    @Override
    public int primary() {
        return pair.primary().port();
    }

    @Override
    public int standby() {
        return pair.standby().port();
    }

    @Override
    public Connection connect(int port) throws SQLException {
        return (port == primary() ? pair.primary() : pair.standby()).connect();
    }

    @Override
    public void kill() {
        pair.primary().kill();
    }

    @Override
    public void restart() {
        pair.primary().restart();
    }

    @Override
    public void close() {
        pair.close();
    }
}
