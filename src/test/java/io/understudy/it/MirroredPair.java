package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.understudy.embedded.EmbeddedPair;
import io.understudy.embedded.PairOptions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** A primary and its standby, to which a proxy mirrors; what arrives there is in the log of the standby. */
abstract class MirroredPair {
    static final String MIRROR = "understudy_mirror";
    static final String ALL = "rules: [ { name: all, sample: 100% } ]";
    static EmbeddedPair pair;
    static GeneralLog log;

    @BeforeAll
    static void startPair() {
        pair = EmbeddedPair.start(PairOptions.defaults().withSemiSync(false));
        prepare(pair);
        log = new GeneralLog(pair.standby());
    }

    /** Creates the schemas and the accounts. */
    static void prepare(EmbeddedPair pair) {
        String password = MirrorProxy.PASSWORD;
        pair.primary()
                .execute(
                        "CREATE DATABASE shop",
                        "CREATE DATABASE depot",
                        "CREATE TABLE shop.orders (id INT PRIMARY KEY, note VARCHAR(100))",
                        "CREATE TABLE shop.customers (id INT PRIMARY KEY, note VARCHAR(100))",
                        "CREATE TABLE depot.shelves (id INT PRIMARY KEY, note VARCHAR(100))",
                        "INSERT INTO shop.orders SELECT seq, CONCAT('order ', seq) FROM shop.seq_1_to_200");
        pair.createAccount("understudy", password, "REPLICA MONITOR, BINLOG MONITOR, PROCESS ON *.*");
        pair.createAccount(
                MIRROR, password, "SELECT ON shop.*", "SELECT ON depot.*", "REPLICA MONITOR, BINLOG MONITOR ON *.*");
        pair.createAccount("app", password, "ALL ON shop.*", "ALL ON depot.*");
        pair.awaitCaughtUp(Duration.ofSeconds(20));
    }

    @AfterAll
    static void stopPair() {
        pair.close();
    }

    /** One that has seen its standby: before, nothing is mirrored. */
    static MirrorProxy proxy(String section) throws Exception {
        MirrorProxy proxy = unready(section);
        proxy.awaitMirroring();
        return proxy;
    }

    static MirrorProxy unready(String section) throws Exception {
        return MirrorProxy.start(pair.primary().port(), pair.standby().port(), section);
    }

    static void run(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    static List<String> texts(String marker) throws SQLException {
        return log.of(MIRROR, marker).stream().map(GeneralLog.Line::text).toList();
    }

    /** Everything sent before has been executed, dropped or skipped: a last read of its own is on the standby. */
    static void flush(MirrorProxy proxy, Connection connection, String marker) throws Exception {
        run(connection, "SELECT '" + marker + "'");
        await().untilAsserted(
                        () -> assertThat(texts(marker)).as("%s", proxy.view()).hasSize(1));
        await().until(() -> proxy.waiting("statements") == 0 && proxy.waiting("bytes") == 0);
    }
}
