package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Statements and results of a real standby with {@code rows: discard-on-standby}. */
@Timeout(120)
class MirrorRowlessServerTest extends MirroredPair {
    private static final String ROWLESS = "rules: [ { name: all, sample: 100% } ]\nrows: discard-on-standby";

    @BeforeAll
    static void createTables() {
        pair.primary()
                .execute(
                        "CREATE TABLE shop.large (id INT PRIMARY KEY, b MEDIUMTEXT)",
                        "INSERT INTO shop.large SELECT seq, REPEAT('x', 200000) FROM shop.seq_1_to_20");
        pair.awaitCaughtUp(Duration.ofSeconds(20));
    }

    private static long sent() {
        return Long.parseLong(pair.standby()
                .query("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS"
                        + " WHERE VARIABLE_NAME = 'BYTES_SENT'"));
    }

    @Test
    void textAndPreparedReadsAreExecutedWithoutTheirRows() throws Exception {
        try (MirrorProxy proxy = proxy(ROWLESS);
                Connection session = proxy.mariadb("&useServerPrepStmts=true");
                PreparedStatement prepared =
                        session.prepareStatement("SELECT b FROM large WHERE id = ? AND 'rowless-1' = 'rowless-1'")) {
            long before = sent();
            for (int id = 1; id <= 20; id++) {
                run(session, "SELECT b FROM large WHERE id = " + id + " AND 'rowless-1' = 'rowless-1'");
                prepared.setInt(1, id);
                prepared.executeQuery().close();
            }
            await().until(() -> proxy.executed("ok") == 40);
            assertThat(sent() - before).as("bytes, of 8 million").isLessThan(2_000_000);
            assertThat(log.of(MIRROR, "rowless-1"))
                    .filteredOn(line -> !line.command().equals("Prepare"))
                    .hasSize(40)
                    .allSatisfy(line -> assertThat(line.text()).startsWith("ANALYZE SELECT b FROM large WHERE id = "));
            assertThat(proxy.executed("error")).isZero();
        }
    }

    @Test
    void rowsAreReturnedByDefault() throws Exception {
        try (MirrorProxy proxy = proxy("rules: [ { name: all, sample: 100% } ]");
                Connection session = proxy.mariadb("")) {
            run(session, "SELECT b FROM large WHERE id = 1 AND 'rowless-2' = 'rowless-2'");
            await().until(() -> texts("rowless-2").size() == 1);
            assertThat(texts("rowless-2"))
                    .containsExactly("SELECT b FROM large WHERE id = 1 AND 'rowless-2' = 'rowless-2'");
        }
    }

    @Test
    void lookUpsReturnNoRowsEither() throws Exception {
        try (MirrorProxy proxy = proxy(ROWLESS + "\nwrites: lookups");
                Connection session = proxy.mariadb("")) {
            run(session, "UPDATE large SET b = 'y' WHERE id = 3 AND 'rowless-4' = 'rowless-4'");
            await().until(() -> texts("rowless-4").size() == 1);
            assertThat(texts("rowless-4"))
                    .containsExactly("ANALYZE SELECT * FROM large WHERE id = 3 AND 'rowless-4' = 'rowless-4'");
        }
    }

    @Test
    void aProbeStaysAProbe() throws Exception {
        try (MirrorProxy proxy = proxy(ROWLESS + "\nprobes: 1000");
                Connection session = proxy.mariadb("")) {
            run(session, "SELECT b FROM large WHERE id = 4 AND 'rowless-5' = 'rowless-5'");
            await().until(() -> texts("rowless-5").size() == 1);
            assertThat(texts("rowless-5"))
                    .as("a probe counts, and returns no rows either")
                    .containsExactly(
                            "ANALYZE FORMAT=JSON SELECT b FROM large WHERE id = 4 AND 'rowless-5' = 'rowless-5'");
        }
    }
}
