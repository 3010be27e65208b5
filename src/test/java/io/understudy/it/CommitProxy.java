package io.understudy.it;

import static org.awaitility.Awaitility.await;

import io.understudy.plugins.commitlatency.WitnessedCommits;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;

/** A real proxy with {@code commit-latency} in front of a real primary, which records every joined commit. */
final class CommitProxy implements AutoCloseable {
    static final String PASSWORD = "s3same-commit";

    final WitnessedCommits commits = new WitnessedCommits();
    private final ProxyUnderTest proxy;

    /** The plugin's account is {@code monitor} with password {@value #PASSWORD}. */
    CommitProxy(InetSocketAddress primary, String section) throws Exception {
        this(primary, "monitor", section);
    }

    CommitProxy(InetSocketAddress primary, String monitor, String section) throws Exception {
        proxy = ProxyUnderTest.start("""
                listen: { address: "127.0.0.1:0" }
                primary:
                  address: "127.0.0.1:%d"
                  tls: { mode: disabled }
                  monitor: { user: %s, password: %s }
                admin: { enabled: false }
                plugins:
                  commit-latency: { %s }
                """.formatted(primary.getPort(), monitor, PASSWORD, section), commits.plugin());
    }

    /** Waits until commits are attributed through the binary log. */
    CommitProxy streaming() {
        await().atMost(Duration.ofSeconds(30)).until(() -> view().contains("active=binlog"));
        return this;
    }

    /** Opens a session of {@code user} with MariaDB's driver, in schema {@code shop}. */
    Connection connect(String user, String options) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mariadb://127.0.0.1:" + proxy.address().getPort()
                        + "/shop?sslMode=disable&allowPublicKeyRetrieval=true" + options,
                user,
                PASSWORD);
    }

    /** Returns the content of {@code /api/commits} as text, not exactly as JSON. */
    String view() {
        return String.valueOf(Views.of(proxy.server().published(), "commits"));
    }

    /** Returns the number of timed commits of that kind, attributed or not. */
    long timed(String kind) {
        return proxy.server().histograms().all().stream()
                .filter(series -> series.name().equals("understudy_commit_seconds")
                        && kind.equals(series.tags().get("kind")))
                .mapToLong(series -> series.histogram().count())
                .sum();
    }

    /** Returns the value of a counter, summed over its tags. */
    double counter(String name) {
        return proxy.count(name);
    }

    @Override
    public void close() {
        proxy.close();
    }
}
