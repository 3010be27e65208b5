package io.understudy.it;

import io.understudy.embedded.DelayedLink;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import io.understudy.embedded.ServerOptions;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** The embedded MariaDB servers; the primary's commits are durable. */
final class MariaDbSemiSyncPair implements SemiSyncPair {
    private final EmbeddedPair pair;

    MariaDbSemiSyncPair(String... arguments) {
        pair = EmbeddedPair.start(PairOptions.defaults()
                .withSemiSyncTimeout(Duration.ofSeconds(30))
                .withPrimary(ServerOptions.of(1).withArguments(arguments)));
        pair.primary().execute("CREATE DATABASE shop");
        pair.createAccount("monitor", CommitProxy.PASSWORD, "REPLICATION SLAVE ON *.*");
        pair.createAccount("app", CommitProxy.PASSWORD, "ALL ON shop.*");
    }

    EmbeddedPair pair() {
        return pair;
    }

    @Override
    public InetSocketAddress address() {
        return pair.primary().address();
    }

    @Override
    public Connection connect() throws SQLException {
        return pair.primary().connect();
    }

    @Override
    public DelayedLink link() {
        return pair.link();
    }

    @Override
    public void waitPoint(String value) {
        pair.primary().execute("SET GLOBAL rpl_semi_sync_master_wait_point = '" + value + "'");
    }

    @Override
    public boolean mariadb() {
        return true;
    }

    @Override
    public String counters() {
        return "Rpl_semi_sync_master";
    }

    @Override
    public void close() {
        pair.close();
    }
}
