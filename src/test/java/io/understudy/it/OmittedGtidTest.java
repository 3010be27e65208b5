package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.understudy.it.legs.GtidProbe;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** MariaDB leaves a GTID out of its response where only the domain has changed. What follows is what it would say. */
class OmittedGtidTest {
    private static final String INSERT = "INSERT INTO " + ServerUnderTest.SCHEMA + ".omitted VALUES (1)";

    private final GtidProbe probe = new GtidProbe();

    /** {@code -Dunderstudy.it.server=…} for another server than the embedded one. */
    @Test
    void everyCommitHasTheGtidThatTheServerKnows() throws Exception {
        ServerUnderTest server = ServerUnderTest.shared();
        assumeTrue(server.isMariaDb(), "the server has no domains");
        server.execute(
                "CREATE OR REPLACE TABLE " + ServerUnderTest.SCHEMA + ".omitted (n INT)",
                "CREATE OR REPLACE PROCEDURE " + ServerUnderTest.SCHEMA
                        + ".to_domain(d BIGINT) SQL SECURITY DEFINER SET SESSION gtid_domain_id = d");
        int base = Math.toIntExact(System.nanoTime() % 100_000_000) * 10 + 1_000; // domains without commits
        try (ProxyUnderTest proxy =
                        ProxyUnderTest.withLegs(server.address().getPort(), "", "tls: { mode: disabled }", probe);
                Connection app = DriverManager.getConnection(
                        "jdbc:mariadb://127.0.0.1:" + proxy.address().getPort() + "/?sslMode=disable",
                        server.user(),
                        server.password());
                Statement statement = app.createStatement()) {
            statement.execute("SET gtid_domain_id = " + base);
            commits(statement, INSERT, base + "-1");
            statement.execute("SET gtid_domain_id = " + (base + 1));
            commits(statement, INSERT, base + 1 + "-1");
            commits(statement, INSERT, base + 1 + "-2");
            statement.execute("SET gtid_domain_id = " + base);
            commits(statement, INSERT, base + "-2");
            commits(statement, "SET STATEMENT gtid_domain_id = " + (base + 2) + " FOR " + INSERT, base + 2 + "-1");
            commits(statement, "SET STATEMENT gtid_domain_id = " + (base + 3) + " FOR " + INSERT, base + 3 + "-1");
            commits(statement, INSERT, base + "-3");
            statement.execute("CALL " + ServerUnderTest.SCHEMA + ".to_domain(" + (base + 1) + ")");
            statement.execute("BEGIN");
            statement.execute(INSERT);
            commits(statement, "COMMIT", base + 1 + "-3");
        }
    }

    /** @param gtid domain and number */
    private void commits(Statement statement, String sql, String gtid) throws SQLException {
        statement.execute(sql);
        String last;
        try (ResultSet row = statement.executeQuery("SELECT @@last_gtid")) {
            row.next();
            last = row.getString(1);
        }
        assertThat(last).as(sql).matches(gtid.replace("-", "-\\d+-"));
        assertThat(probe.withOmitted).as(sql).contains(last);
        probe.withOmitted.clear();
    }
}
