package io.understudy.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Findings of {@code check} and {@code check --connect} on a standby and the rules that name it. */
@Timeout(120)
@Tag("long")
class CheckStandbyTest extends CheckedPair {
    @Test
    void aRuleWithAnUnknownStandbyIsReportedAtItsPlace() throws IOException {
        Said said = check(standby(pair.standby().port(), "reader"), "{ name: all, standbys: [s1, s2] }");
        assertThat(said.status()).isEqualTo(2);
        assertThat(said.text())
                .contains("10:37: plugins.mirror.rules[0].standbys[1]: 's2' is no standby; known here: s1");
    }

    @Test
    void anInvalidOrBacktrackingPatternIsReportedAtItsPlace() throws IOException {
        String standby = standby(pair.standby().port(), "reader");
        Said broken = check(standby, "{ name: all, match: { pattern: \"(a\" } }");
        assertThat(broken.status()).isEqualTo(2);
        assertThat(broken.text())
                .contains("10:40: plugins.mirror.rules[0].match.pattern: expected a Java regular expression");
        Said endless = check(standby, "{ name: all, match: { pattern: '^insert (a+)+\\1b' } }");
        assertThat(endless.status()).isEqualTo(2);
        assertThat(endless.text())
                .contains("10:40: plugins.mirror.rules[0].match.pattern")
                .contains("backtracks without end");
    }

    @Test
    void aCorrectPairIsReportedAsGood() throws IOException {
        Said said = connect(pair.standby().port(), "reader");
        assertThat(said.text())
                .contains("account reader can only read")
                .contains("replicates from the primary")
                .contains("read_only is ON");
        assertThat(said.status()).isZero();
    }

    @Test
    void threadsOfReplicationThatDoNotRunAreReported() throws IOException {
        EmbeddedServer standby = pair.standby();
        try {
            standby.execute("STOP SLAVE SQL_THREAD");
            Said applier = connect(standby.port(), "reader");
            assertThat(applier.status()).isEqualTo(2);
            assertThat(applier.text())
                    .contains("error   standby s1: its applier (SQL thread)")
                    .contains("has stopped; on the standby: START SLAVE SQL_THREAD")
                    .doesNotContain("replicates from the primary", "its receiver");
            standby.execute("STOP SLAVE");
            assertThat(connect(standby.port(), "reader").text())
                    .contains("error   standby s1: its receiver (IO thread) has stopped and receives nothing from ")
                    .contains("on the standby: START SLAVE IO_THREAD");

            standby.execute("CHANGE MASTER TO MASTER_PASSWORD = 'none of it'", "START SLAVE");
            org.awaitility.Awaitility.await()
                    .until(() -> connect(standby.port(), "reader").text().contains("error 1045"));
            Said refused = connect(standby.port(), "reader");
            assertThat(refused.status()).isEqualTo(2);
            assertThat(refused.text())
                    .contains("error   standby s1: its receiver (IO thread) receives nothing from ")
                    .contains("Access denied", "STOP SLAVE; CHANGE MASTER TO MASTER_USER = '…', MASTER_PASSWORD = '…'")
                    .doesNotContain("replicates from the primary", "its applier");
        } finally {
            standby.execute("STOP SLAVE", "CHANGE MASTER TO MASTER_PASSWORD = 'repl'", "START SLAVE");
            org.awaitility.Awaitility.await()
                    .until(() -> connect(standby.port(), "reader").text().contains("replicates from the primary"));
        }
    }

    @Test
    void anAccountWithoutAnyPrivilegeIsAnError() throws IOException {
        pair.createAccount("nothing", "secret");
        pair.awaitCaughtUp(Duration.ofSeconds(20));
        Said said = connect(pair.standby().port(), "nothing");
        assertThat(said.status()).isEqualTo(2);
        assertThat(said.text())
                .contains("error   standby s1: account nothing has no privilege to read a table, and its replication")
                .contains("GRANT REPLICA MONITOR ON *.* TO 'nothing'@'%'");
    }

    @Test
    void anAccountThatCanWriteIsReportedWithItsPrivilegesAndTheGrantsItNeeds() throws IOException {
        Said said = connect(pair.standby().port(), "writer");
        assertThat(said.status()).isEqualTo(2);
        assertThat(said.text())
                .contains("can do more than read (DELETE, INSERT)")
                .contains("GRANT SELECT ON");
    }

    @Test
    void thePrimaryUnderAnotherAddressIsRecognized() throws IOException {
        Said said = check(
                standby(pair.primary().port(), "reader").replace("127.0.0.1", "localhost"),
                "{ name: all }",
                "--connect");
        assertThat(said.text()).contains("is the present primary").doesNotContain("read_only = 1");
        assertThat(said.status()).isZero();
        Said sameAddress = check(standby(pair.primary().port(), "reader"), "{ name: all }");
        // Not an error: after a failover, the standby that was promoted is the primary until the file is edited.
        assertThat(sameAddress.status()).isZero();
        assertThat(sameAddress.text()).contains("standbys[0].address").contains("is the primary's address");
    }

    /** Section {@code switchover} is not needed before the day of a switch. */
    @Test
    void theAccountOfTheSwitchoverIsChecked() throws IOException {
        pair.createAccount("half_switch", "secret", "RELOAD, EVENT, SLAVE MONITOR ON *.*");
        pair.awaitCaughtUp(Duration.ofSeconds(30));
        Said half = check(withSwitchover("half_switch"), "--connect");
        assertThat(half.text())
                .contains("warning switchover: the account of section switchover may do too little: on the primary")
                .contains("on s1 it lacks READ_ONLY ADMIN")
                .contains("GRANT READ_ONLY ADMIN, REPLICATION SLAVE ADMIN ON *.* TO 'half_switch'@'%'");
        assertThat(check(withSwitchover("nobody_switch"), "--connect").text())
                .contains("warning switchover: the primary: ")
                .contains("Access denied", "CREATE USER 'nobody_switch'@'%' IDENTIFIED BY", "READ_ONLY ADMIN");
        pair.primary().execute("GRANT READ_ONLY ADMIN, REPLICATION SLAVE ADMIN ON *.* TO half_switch@'%'");
        pair.awaitCaughtUp(Duration.ofSeconds(30));
        assertThat(check(withSwitchover("half_switch"), "--connect").text())
                .contains("switchover: account half_switch may do what it has to on the primary")
                .contains("switchover: account half_switch may do what it has to on s1");
        Path file = withSwitchover("half_switch");
        Files.writeString(file, Files.readString(file) + "plugins: { black-box: {} }\n");
        assertThat(check(file, "--connect").text())
                .contains("warning switchover: the account of section switchover may do too little: on the primary it"
                        + " lacks BINLOG REPLAY. On the primary: GRANT BINLOG REPLAY ON *.* TO 'half_switch'@'%'")
                .contains("on s1 it lacks BINLOG REPLAY");
        // Which a failover enables on the standby, whatever it is at now.
        pair.primary().execute("GRANT BINLOG REPLAY ON *.* TO half_switch@'%'");
        pair.awaitCaughtUp(Duration.ofSeconds(30));
        file = withSwitchover("half_switch");
        Files.writeString(file, Files.readString(file) + "plugins: { black-box: { acknowledge: memory } }\n");
        assertThat(check(file, "--connect").text())
                .contains("on s1 it lacks REPLICATION MASTER ADMIN")
                .contains("GRANT REPLICATION MASTER ADMIN ON *.* TO 'half_switch'@'%'");
    }

    private Path withSwitchover(String user) throws IOException {
        return Files.writeString(folder.resolve("switchover.yaml"), """
                primary:
                  address: "127.0.0.1:%d"
                  tls: { mode: disabled }
                  monitor: { user: monitor, password: secret }
                standbys: [ %s ]
                switchover: { user: %s, password: secret }
                """.formatted(
                        pair.primary().port(), standby(pair.standby().port(), "reader"), user));
    }

    /** Its entry is known by the address alone then; to make it read-only would end all writes. */
    @Test
    void thePrimarysEntryIsNeverToBeMadeReadOnlyWhereTheMonitorIsRefused() throws IOException {
        pair.primary().execute("SET SESSION sql_log_bin = 0", "ALTER USER monitor ACCOUNT LOCK");
        try {
            for (String host : new String[] {"127.0.0.1", "localhost"}) {
                Said said = check(
                        standby(pair.primary().port(), "reader").replace("127.0.0.1", host),
                        "{ name: all }",
                        "--connect");
                assertThat(said.status()).isEqualTo(2);
                assertThat(said.text())
                        .contains("error   primary: cannot log in")
                        .doesNotContain("error   standby", "SET GLOBAL read_only = 1");
            }
        } finally {
            pair.primary().execute("SET SESSION sql_log_bin = 0", "ALTER USER monitor ACCOUNT UNLOCK");
        }
    }

    @Test
    void standbysOfAnotherServerAndOfNoneAreReported() throws IOException {
        // Replicates from the standby instead of the primary, which the configuration does not say.
        try (EmbeddedServer other = EmbeddedServer.start(ServerOptions.of(7).withArguments("--read-only=1"))) {
            other.execute(
                    "SET SESSION sql_log_bin = 0",
                    "CREATE USER reader@'%' IDENTIFIED BY 'secret'",
                    "GRANT REPLICA MONITOR ON *.* TO reader@'%'");
            Said alone = connect(other.port(), "reader");
            assertThat(alone.status()).isEqualTo(2);
            assertThat(alone.text()).contains("does not replicate from any server");

            pair.primary()
                    .execute(
                            "CREATE OR REPLACE USER repl2@'%' IDENTIFIED BY 'repl2'",
                            "GRANT REPLICATION SLAVE ON *.* TO repl2@'%'");
            pair.awaitCaughtUp(Duration.ofSeconds(20));
            other.execute(
                    "RESET MASTER",
                    "SET GLOBAL gtid_slave_pos = '" + pair.standby().query("SELECT @@GLOBAL.gtid_current_pos") + "'",
                    "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT="
                            + pair.standby().port()
                            + ", MASTER_USER='repl2', MASTER_PASSWORD='repl2', MASTER_USE_GTID=slave_pos, MASTER_SSL=0",
                    "START SLAVE");
            org.awaitility.Awaitility.await()
                    .until(() -> connect(other.port(), "reader").text().contains("replicates from elsewhere"));
            assertThat(connect(other.port(), "reader").status()).isEqualTo(2);
        }
    }

    @Test
    void aWritableStandbyIsReported() throws IOException {
        pair.standby().execute("SET GLOBAL read_only = 0");
        try {
            Said said = connect(pair.standby().port(), "reader");
            assertThat(said.status()).isEqualTo(2);
            assertThat(said.text()).contains("is writable").contains("SET GLOBAL read_only = 1");
        } finally {
            pair.standby().execute("SET GLOBAL read_only = 1");
        }
    }

    /**
     * A fresh MariaDB lets everybody write to {@code test}. That privilege belongs to PUBLIC, and is revoked from
     * PUBLIC.
     */
    @Test
    void privilegesOfPublicAreReportedApart() throws IOException {
        Said said = connect(pair.standby().port(), "reader");
        assertThat(said.status()).isZero();
        assertThat(said.text()).contains("account reader can only read").contains("PUBLIC");
        for (String revoke : said.text()
                .lines()
                .filter(line -> line.contains("PUBLIC, which is every account"))
                .flatMap(line ->
                        Arrays.stream(line.substring(line.indexOf("REVOKE")).split("; ")))
                .toList()) {
            pair.primary().execute(revoke);
        }
        pair.awaitCaughtUp(Duration.ofSeconds(20));
        assertThat(connect(pair.standby().port(), "reader").text()).doesNotContain("PUBLIC");
    }

    @Test
    void anUnreadableSchemaIsReportedWithTheMissingGrant() throws IOException {
        Said said = connect(pair.standby().port(), "half");
        assertThat(said.text())
                .contains("account half cannot read all of de_pot")
                .contains("GRANT SELECT ON `de\\_pot`.* TO 'half'@'%'");
        assertThat(connect(pair.standby().port(), "reader").text())
                .contains("can read every schema of the primary")
                .doesNotContain("cannot read all");
    }

    @Test
    void viewsThatAreNotMirroredAreNamed() throws IOException {
        pair.primary()
                .execute(
                        "CREATE VIEW shop.lock_view AS SELECT GET_LOCK('a', 0) AS a",
                        "CREATE VIEW shop.one_view AS SELECT 1 AS a",
                        "CREATE VIEW de_pot.two_view AS SELECT 1 AS a",
                        "GRANT SHOW VIEW ON shop.* TO reader@'%'");
        pair.awaitCaughtUp(Duration.ofSeconds(20));
        try {
            assertThat(connect(pair.standby().port(), "reader").text())
                    .contains("may do more than read: shop.lock_view (side_effect_function)")
                    .contains("GRANT SHOW VIEW ON `de\\_pot`.* TO 'reader'@'%'")
                    .doesNotContain("one_view");
            pair.primary().execute("GRANT SHOW VIEW ON `de\\_pot`.* TO reader@'%'", "DROP VIEW shop.lock_view");
            pair.awaitCaughtUp(Duration.ofSeconds(20));
            assertThat(connect(pair.standby().port(), "reader").text()).contains("its 2 views only read");
        } finally {
            pair.primary().execute("DROP VIEW shop.one_view, de_pot.two_view");
            pair.awaitCaughtUp(Duration.ofSeconds(20));
        }
    }

    @Test
    void aPoolThatMirroringCannotWarmIsReported() throws IOException {
        pair.primary().execute("CREATE TABLE IF NOT EXISTS shop.pooled (id INT PRIMARY KEY)");
        pair.awaitCaughtUp(java.time.Duration.ofSeconds(20));
        String size = pair.standby().query("SELECT @@GLOBAL.innodb_buffer_pool_size");
        Said said = connect(pair.standby().port(), "reader");
        assertThat(said.text())
                .contains("less than half of its buffer pool")
                .contains("after an orderly restart it reads back 25 % of its pages by itself")
                .doesNotContain("no mirroring makes")
                .doesNotContain("random_read_ahead");
        String primarySize = pair.primary().query("SELECT @@GLOBAL.innodb_buffer_pool_size");
        try {
            pair.standby()
                    .execute(
                            "SET GLOBAL innodb_buffer_pool_dump_at_shutdown = OFF",
                            "SET GLOBAL innodb_random_read_ahead = ON");
            pair.primary().execute("SET GLOBAL innodb_buffer_pool_size = 2 * " + size);
            Said warned = connect(pair.standby().port(), "reader");
            assertThat(warned.text())
                    .contains("warning standby s1: innodb_buffer_pool_dump_at_shutdown is OFF")
                    .contains("warning standby s1: innodb_random_read_ahead is ON")
                    .contains("warning standby s1: its buffer pool has")
                    .contains("no mirroring makes the primary's pages fit");
            assertThat(warned.status()).isZero();
        } finally {
            pair.standby()
                    .execute(
                            "SET GLOBAL innodb_buffer_pool_dump_at_shutdown = ON",
                            "SET GLOBAL innodb_random_read_ahead = OFF");
            pair.primary().execute("SET GLOBAL innodb_buffer_pool_size = " + primarySize);
        }
    }
}
