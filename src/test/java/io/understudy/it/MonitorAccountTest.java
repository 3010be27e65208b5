package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Meter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The account of primary.monitor breaks while the proxy runs: one fact, with the statement that mends it. */
@Tag("long")
class MonitorAccountTest extends FollowingProxy {
    private static final Duration WAIT = Duration.ofSeconds(90);

    private ProxyUnderTest proxy(String primary) throws Exception {
        return ProxyUnderTest.start(config(primary, "plugins: { black-box: {}, commit-latency: {} }"));
    }

    private static double broken(ProxyUnderTest proxy) {
        return proxy.meters().find("understudy.account.broken").tag("account", "primary.monitor").gauges().stream()
                .mapToDouble(gauge -> gauge.value())
                .findFirst()
                .orElse(Double.NaN);
    }

    private static Map<?, ?> account(ProxyUnderTest proxy) {
        return (Map<?, ?>) Objects.requireNonNull(proxy.server().primaryView().get("account"));
    }

    private static String text(ProxyUnderTest proxy, String key) {
        return String.valueOf(account(proxy).get(key));
    }

    private void awaitReading(ProxyUnderTest proxy) {
        await().atMost(WAIT)
                .ignoreExceptions()
                .until(() -> lost(proxy).text("primary", "read").equals("true"));
    }

    /** Ends the connections of the account, as a restart of the server does. */
    private void killMonitor() {
        old.execute("KILL USER monitor");
    }

    private void serves(ProxyUnderTest proxy) throws SQLException {
        try (Connection client = connect(proxy)) {
            write(client, "x");
        }
        assertThat(proxy.server().notReady()).isEmpty();
    }

    @Test
    void aLockedAccountIsOneFactWithItsRemedy() throws Exception {
        try (ProxyUnderTest proxy = proxy(address(old))) {
            awaitReading(proxy);
            assertThat(broken(proxy)).isZero();
            old.execute("ALTER USER monitor ACCOUNT LOCK");
            killMonitor();
            await().atMost(WAIT).until(() -> text(proxy, "affected").contains("binary log"));
            assertThat(broken(proxy)).isOne();
            assertThat(text(proxy, "error")).contains("locked");
            assertThat(text(proxy, "remedy")).contains("ALTER USER 'monitor'@'%' ACCOUNT UNLOCK");
            assertThat(text(proxy, "affected")).contains("health and role", "queries of the primary");
            assertThat(proxy.server().warnings()).singleElement().asString().contains("ACCOUNT UNLOCK");
            assertThat(lost(proxy).text("primary", "read")).isEqualTo("false");
            assertThat(proxy.server().primaryView().get("readOnly")).isNull();
            serves(proxy);
            old.execute("ALTER USER monitor ACCOUNT UNLOCK");
            await().atMost(WAIT).until(() -> broken(proxy) == 0);
            awaitReading(proxy);
        }
    }

    @Test
    void aChangedPasswordIsNoticedWhileOldConnectionsGoOn() throws Exception {
        try (ProxyUnderTest proxy = proxy(address(old))) {
            awaitReading(proxy);
            old.execute("SET PASSWORD FOR monitor = PASSWORD('another')");
            await().atMost(WAIT).until(() -> broken(proxy) == 1);
            assertThat(text(proxy, "affected")).contains("new connections");
            assertThat(text(proxy, "remedy")).contains("ALTER USER 'monitor'@'%' IDENTIFIED BY");
            serves(proxy);
            old.execute("SET PASSWORD FOR monitor = PASSWORD('" + PASSWORD + "')");
            await().atMost(WAIT).until(() -> broken(proxy) == 0);
        }
    }

    /** Its one connection outlives the change. */
    @Test
    void aStandbysChangedPasswordIsNoticedWhileItsConnectionGoesOn() throws Exception {
        try (ProxyUnderTest proxy = proxy(address(old))) {
            await().atMost(WAIT).until(() -> upTwo(proxy) == 1);
            promoted.execute("SET sql_log_bin = 0", "SET PASSWORD FOR monitor = PASSWORD('another')");
            await().atMost(WAIT).until(() -> brokenAtTwo(proxy) == 1);
            assertThat(broken(proxy)).isZero();
            assertThat(upTwo(proxy)).isOne();
            promoted.execute("SET sql_log_bin = 0", "SET PASSWORD FOR monitor = PASSWORD('" + PASSWORD + "')");
            await().atMost(WAIT).until(() -> brokenAtTwo(proxy) == 0);
        }
    }

    private static double upTwo(ProxyUnderTest proxy) {
        return proxy.meters()
                .get("understudy.standby.up")
                .tag("standby", "two")
                .gauge()
                .value();
    }

    private static double brokenAtTwo(ProxyUnderTest proxy) {
        return proxy.meters()
                .get("understudy.account.broken")
                .tag("standby", "two")
                .gauge()
                .value();
    }

    @Test
    void aRevokedPrivilegeNamesTheBinaryLog() throws Exception {
        try (ProxyUnderTest proxy = proxy(address(old))) {
            awaitReading(proxy);
            old.execute("REVOKE REPLICATION SLAVE ON *.* FROM monitor");
            killMonitor();
            await().atMost(WAIT).until(() -> broken(proxy) == 1);
            assertThat(text(proxy, "affected")).contains("binary log").doesNotContain("health");
            assertThat(text(proxy, "remedy")).contains("GRANT REPLICATION SLAVE ON *.* TO 'monitor'@'%'");
            serves(proxy);
        }
    }

    @Test
    void aLimitOfConnectionsIsNamedWithCandidates() throws Exception {
        String candidates = "candidates: [\"" + text(old) + "\", \"" + text(promoted) + "\"]";
        try (ProxyUnderTest proxy = proxy(candidates)) {
            awaitReading(proxy);
            old.execute("ALTER USER monitor WITH MAX_USER_CONNECTIONS 1");
            killMonitor();
            await().atMost(WAIT).until(() -> broken(proxy) == 1);
            assertThat(text(proxy, "error")).contains("max_user_connections");
            assertThat(text(proxy, "remedy")).contains("WITH MAX_USER_CONNECTIONS 0");
            serves(proxy);
            old.execute("ALTER USER monitor WITH MAX_USER_CONNECTIONS 0");
            await().atMost(Duration.ofMinutes(3)).until(() -> broken(proxy) == 0);
        }
    }

    @Test
    void candidatesThatCannotBeAskedAreNamed() throws Exception {
        String candidates = "candidates: [\"" + text(old) + "\", \"" + text(promoted) + "\"]";
        try (ProxyUnderTest proxy = proxy(candidates)) {
            awaitReading(proxy);
            old.execute("ALTER USER monitor ACCOUNT LOCK");
            killMonitor();
            await().atMost(WAIT).until(() -> text(proxy, "affected").contains("following the candidates"));
            assertThat(proxy.server().primaryView().get("verdict")).isEqualTo("unclear");
            serves(proxy);
        }
    }

    @Test
    void theMetricIsThereFromTheStart() throws Exception {
        try (ProxyUnderTest proxy = proxy(address(old))) {
            List<String> accounts = proxy.meters().find("understudy.account.broken").meters().stream()
                    .map(Meter::getId)
                    .map(id -> id.getTag("account") + "/" + id.getTag("standby"))
                    .toList();
            assertThat(accounts).containsExactlyInAnyOrder("primary.monitor/", "standbys/one", "standbys/two");
        }
    }
}
