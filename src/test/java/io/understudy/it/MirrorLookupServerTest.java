package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Look-ups of statements that write or lock, as a real standby receives them. */
@Timeout(120)
class MirrorLookupServerTest extends MirroredPair {
    private static final String LOOKUPS = "rules: [ { name: all, sample: 100% } ]\nwrites: lookups";

    @BeforeAll
    static void createTables() {
        pair.primary()
                .execute(
                        "CREATE TABLE shop.stock (id INT PRIMARY KEY, shelf INT, n INT, KEY (shelf))",
                        "INSERT INTO shop.stock SELECT seq, seq % 50, 1 FROM shop.seq_1_to_1000",
                        "CREATE VIEW shop.locks AS SELECT id, n, GET_LOCK('view', 0) AS l FROM shop.stock",
                        "CREATE FUNCTION shop.five() RETURNS INT NO SQL RETURN 5");
        pair.awaitCaughtUp(Duration.ofSeconds(20));
    }

    @Test
    void conditionsOfWritesAndLockingReadsArriveAsReads() throws Exception {
        try (MirrorProxy proxy = proxy(LOOKUPS);
                Connection session = proxy.mariadb("")) {
            run(
                    session,
                    "UPDATE stock SET n = n + 1 WHERE shelf = 7 AND 'look-1' = 'look-1'",
                    "DELETE FROM shop.stock WHERE id = 900 AND 'look-1' = 'look-1'",
                    "SELECT n FROM stock WHERE id = 3 AND 'look-1' = 'look-1' FOR UPDATE");
            await().until(() -> texts("look-1").size() == 3);
            assertThat(texts("look-1"))
                    .containsExactlyInAnyOrder(
                            "SELECT * FROM stock WHERE shelf = 7 AND 'look-1' = 'look-1'",
                            "SELECT * FROM shop.stock WHERE id = 900 AND 'look-1' = 'look-1'",
                            "SELECT n FROM stock WHERE id = 3 AND 'look-1' = 'look-1'");
            await().until(() -> proxy.executed("ok") == 3);
            assertThat(proxy.count("understudy.mirror.lookups", "kind", "update"))
                    .isEqualTo(1);
            assertThat(proxy.count("understudy.mirror.lookups", "kind", "delete"))
                    .isEqualTo(1);
            assertThat(proxy.count("understudy.mirror.lookups", "kind", "select"))
                    .isEqualTo(1);
            assertThat(proxy.skipped("writes")).isZero();
        }
    }

    @Test
    void nothingOfThemArrivesByDefault() throws Exception {
        try (MirrorProxy proxy = proxy("rules: [ { name: all, sample: 100% } ]");
                Connection session = proxy.mariadb("")) {
            run(
                    session,
                    "UPDATE stock SET n = n + 1 WHERE id = 1 AND 'off-1' = 'off-1'",
                    "SELECT n FROM stock WHERE id = 3 AND 'off-1' = 'off-1' FOR UPDATE");
            flush(proxy, session, "flush-off");
            assertThat(texts("off-1")).isEmpty();
            assertThat(proxy.skipped("writes")).isEqualTo(1);
            assertThat(proxy.skipped("locking_read")).isEqualTo(1);
        }
    }

    /** Whatever a session sends, the mirror's account only reads, and takes no lock. */
    @Test
    void whatIsNotCertainIsCountedAndNotSent() throws Exception {
        try (MirrorProxy proxy = proxy(LOOKUPS);
                Connection session = proxy.mariadb("&useServerPrepStmts=true")) {
            List<String> uncertain = List.of(
                    "UPDATE stock SET n = 2 WHERE id = shop.five() AND 'hostile' = 'hostile'",
                    "UPDATE stock SET n = 2 WHERE id = 5 AND GET_LOCK('hostile', 0)",
                    "UPDATE stock SET n = 2 WHERE id = @hostile",
                    "UPDATE stock SET n = 2 WHERE id IN (SELECT id FROM orders WHERE note = 'hostile')",
                    "UPDATE stock SET n = 2 WHERE shelf = 5 AND 'hostile' = 'hostile' ORDER BY id LIMIT 1",
                    "UPDATE stock AS s SET n = 2 WHERE s.id = 5 AND 'hostile' = 'hostile'",
                    "UPDATE stock, orders SET n = 2 WHERE stock.id = orders.id AND orders.note = 'hostile'",
                    "UPDATE stock SET n = 2 WHERE id = 5 /*! AND GET_LOCK('hostile', 0) */",
                    "DELETE FROM stock WHERE id = 901 AND 'hostile' = 'hostile' RETURNING id",
                    "DELETE FROM stock WHERE id = 902 AND 'hostile' = 'hostile' LIMIT 1",
                    "SELECT n FROM stock WHERE id = 5 AND 'hostile' = 'hostile' FOR UPDATE SKIP LOCKED",
                    "SELECT COUNT(*) FROM stock WHERE id = 5 AND 'hostile' = 'hostile' LOCK IN SHARE MODE");
            run(session, uncertain.toArray(new String[0]));
            try (PreparedStatement statement =
                    session.prepareStatement("UPDATE stock SET n = 3 WHERE id = ? AND 'hostile' = 'hostile'")) {
                statement.setInt(1, 5);
                statement.executeUpdate();
            }
            run(
                    session,
                    "INSERT INTO orders VALUES (901, 'hostile')",
                    "INSERT INTO stock SELECT id, 1, 1 FROM orders WHERE note = 'hostile'",
                    "REPLACE INTO orders VALUES (901, 'hostile')");
            flush(proxy, session, "flush-uncertain");
            assertThat(texts("hostile")).isEmpty();
            assertThat(proxy.skipped("no_lookup")).isEqualTo(uncertain.size() + 1);
            assertThat(proxy.skipped("writes")).isEqualTo(3);
        }
    }

    @Test
    void aViewWithAnEffectIsNotLookedUp() throws Exception {
        try (MirrorProxy proxy = proxy(LOOKUPS);
                Connection session = proxy.mariadb("")) {
            pair.primary().execute("GRANT SHOW VIEW ON shop.* TO " + MIRROR + "@'%'");
            pair.awaitCaughtUp(Duration.ofSeconds(20));
            run(session, "UPDATE locks SET n = 4 WHERE id = 5 AND 'view-1' = 'view-1'");
            await().until(() -> proxy.dropped("view") == 1);
            assertThat(texts("view-1")).isEmpty();
        }
    }

    @Test
    void aLookUpWithinATransactionThatHasWrittenArrives() throws Exception {
        try (MirrorProxy proxy = proxy(LOOKUPS);
                Connection session = proxy.mariadb("")) {
            session.setAutoCommit(false);
            run(
                    session,
                    "UPDATE stock SET n = n + 1 WHERE id = 11 AND 'tx-1' = 'tx-1'",
                    "SELECT n FROM stock WHERE id = 12 AND 'tx-1' = 'tx-1'",
                    "UPDATE stock SET n = n + 1 WHERE id = 13 AND 'tx-1' = 'tx-1'");
            session.rollback();
            session.setAutoCommit(true);
            await().until(() -> texts("tx-1").size() == 2);
            assertThat(texts("tx-1"))
                    .containsExactlyInAnyOrder(
                            "SELECT * FROM stock WHERE id = 11 AND 'tx-1' = 'tx-1'",
                            "SELECT * FROM stock WHERE id = 13 AND 'tx-1' = 'tx-1'");
            assertThat(proxy.skipped("in_writing_transaction")).isEqualTo(1);
        }
    }

    @Test
    void aRuleOfSelectsAloneLooksNothingUp() throws Exception {
        try (MirrorProxy proxy =
                        proxy("rules: [ { name: reads, match: { kind: select }, sample: 100% } ]\nwrites: lookups");
                Connection session = proxy.mariadb("")) {
            run(
                    session,
                    "UPDATE stock SET n = n + 1 WHERE id = 1 AND 'kind-1' = 'kind-1'",
                    "SELECT n FROM stock WHERE id = 3 AND 'kind-1' = 'kind-1' FOR UPDATE");
            flush(proxy, session, "flush-kind");
            assertThat(texts("kind-1")).containsExactly("SELECT n FROM stock WHERE id = 3 AND 'kind-1' = 'kind-1'");
        }
    }

    /** A statement that failed on the primary selects nothing there. */
    @Test
    void aWriteThatFailedIsNotLookedUp() throws Exception {
        try (MirrorProxy proxy = proxy(LOOKUPS);
                Connection other = proxy.mariadb("");
                Connection session = proxy.mariadb("")) {
            try (Statement statement = session.createStatement()) {
                statement.execute("UPDATE stock SET nothing = 1 WHERE id = 1 AND 'failed-1' = 'failed-1'");
            } catch (SQLException expected) {
                assertThat(expected.getErrorCode()).isEqualTo(1054);
            }
            flush(proxy, other, "flush-failed");
            assertThat(texts("failed-1")).isEmpty();
            assertThat(proxy.skipped("failed_on_primary")).isEqualTo(1);
        }
    }

    @Test
    void lookUpsAreNoProbes() throws Exception {
        try (MirrorProxy proxy = proxy(LOOKUPS + "\nprobes: 1000");
                Connection session = proxy.mariadb("")) {
            run(session, "UPDATE stock SET n = n + 1 WHERE id = 21 AND 'probe-no' = 'probe-no'");
            await().until(() -> texts("probe-no").size() == 1);
            assertThat(texts("probe-no"))
                    .containsExactly("SELECT * FROM stock WHERE id = 21 AND 'probe-no' = 'probe-no'");
            assertThat(proxy.probes("counted")).isZero();
        }
    }
}
