package io.understudy.readiness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import io.understudy.embedded.ServerOptions;
import io.understudy.host.PluginTypes;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;

/** A pair of servers on which the gate finds nothing, before each test and after it. */
@Timeout(240)
abstract class ReadinessPair {
    static final Duration PATIENCE = Duration.ofSeconds(30);
    static final Limits LIMITS = new Limits(Duration.ofSeconds(60), Duration.ofSeconds(2), Duration.ofSeconds(1));

    static EmbeddedPair pair;

    @BeforeAll
    static void start() {
        pair = EmbeddedPair.start(PairOptions.defaults()
                .withStandby(ServerOptions.of(2)
                        .withArguments("--rpl-semi-sync-master-enabled=1", "--rpl-semi-sync-master-wait-no-slave=0")));
        pair.primary()
                .execute(
                        "CREATE DATABASE shop",
                        "CREATE TABLE shop.t (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(50))",
                        "CREATE TABLE shop.`odd$name` (id INT) PARTITION BY HASH (id) PARTITIONS 2",
                        "INSERT INTO shop.t (name) VALUES ('a'), ('b')");
        pair.createAccount(
                "monitor", "secret", "REPLICATION SLAVE, SLAVE MONITOR, PROCESS, SELECT, SHOW VIEW, TRIGGER ON *.*");
        pair.createAccount("reader", "secret", "SELECT, SLAVE MONITOR, PROCESS, SHOW VIEW, TRIGGER ON *.*");
        pair.createAccount("poor", "secret");
        pair.createAccount("app", "secret", "SELECT, INSERT ON shop.*");
        pair.primary().execute("CREATE ROLE clerk", "GRANT SELECT ON shop.t TO clerk", "GRANT clerk TO app@'%'");
        pair.awaitCaughtUp(PATIENCE);
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    /** The next commit ends the primary's fallback to asynchronous replication. */
    @AfterEach
    void isWellAgain() {
        await().atMost(PATIENCE).untilAsserted(() -> {
            pair.primary().execute("INSERT INTO shop.t (name) VALUES ('well')");
            assertThat(what(report())).isEmpty();
        });
    }

    static LoadedConfig config(String user, String primary, int standby) throws Exception {
        return ConfigLoader.load(
                """
                listen: { address: "127.0.0.1:0" }
                primary:
                  address: "%s"
                  tls: { mode: disabled }
                  monitor: { user: %s, password: secret }
                standbys:
                  - { name: standby-1, address: "127.0.0.1:%d", tls: { mode: disabled }, user: poor, password: secret }
                admin: { enabled: false }
                """.formatted(primary, user, standby),
                "test.yaml",
                PluginTypes.installed().records(),
                name -> null);
    }

    static ReadinessGate gate(LoadedConfig config, Duration time) {
        return ReadinessGate.of(
                config,
                PluginTypes.installed().figures(config),
                "standby-1",
                config.config().primary().address(),
                LIMITS,
                time);
    }

    static ReadinessReport report(String user) throws Exception {
        return report(user, Duration.ofSeconds(20));
    }

    static ReadinessReport report(String user, Duration time) throws Exception {
        LoadedConfig config = config(
                user, "127.0.0.1:" + pair.primary().port(), pair.standby().port());
        return gate(config, time).report(() -> ProxyFigures.NONE);
    }

    static ReadinessReport report() throws Exception {
        return report("monitor");
    }

    static double number(ReadinessReport report, String key) {
        return (double) Objects.requireNonNull(report.view().get(key), key);
    }

    static List<String> what(ReadinessReport report) {
        return report.findings().stream()
                .map(finding -> finding.severity().word() + " " + finding.check() + " " + finding.subject() + ": "
                        + finding.what())
                .toList();
    }

    static List<String> subjects(ReadinessReport report) {
        return report.findings().stream()
                .map(finding -> (finding.severity().word() + " " + finding.check() + " " + finding.subject()).trim())
                .toList();
    }
}
