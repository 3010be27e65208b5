package io.understudy.it;

import static io.understudy.it.DomainPair.one;
import static io.understudy.it.DomainPair.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Checks how {@code gtid-domain} tags sessions, with a whole proxy and real servers. */
@Timeout(240)
class GtidDomainTest {
    private static DomainPair pair;

    @BeforeAll
    static void start() throws Exception {
        pair = DomainPair.start();
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    @Test
    void aSchemaChangeIsTaggedAndTheNextStatementIsNot() throws Exception {
        try (DomainProxy proxy = pair.proxy("""
                mode: tag
                guard: pin
                learn: 0s
                poll: 50ms
                rules: [ { name: schema-changes, match: { kind: ddl }, domain: 10 } ]
                """)) {
            try (Connection connection = proxy.connect("tagger");
                    Connection primary = pair.direct(pair.primary())) {
                run(connection, "CREATE TABLE tagged (id INT PRIMARY KEY)");
                run(connection, "CREATE TABLE untouched (id INT PRIMARY KEY)");
                proxy.awaitGuard();
                // New tables stay in the default domain. ALTER of a known table leaves it once nothing is outstanding.
                await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                    proxy.awaitGuard();
                    run(connection, "ALTER TABLE tagged FORCE");
                    assertThat(one(primary, "SELECT @@gtid_binlog_pos")).contains("10-");
                });
                run(connection, "INSERT INTO untouched VALUES (1)");
                assertThat(one(connection, "SELECT @@gtid_domain_id")).isEqualTo("0");
                assertThat(proxy.count("tagged")).isPositive();
            }
            pair.awaitCaughtUp();
        }
    }

    @Test
    void withoutThePrivilegeTheStatementRunsUntagged() throws Exception {
        try (DomainProxy proxy = pair.proxy("""
                mode: tag
                guard: off
                rules: [ { name: all, domain: 12 } ]
                """)) {
            try (Connection connection = proxy.connect("plain")) {
                run(connection, "CREATE TABLE plain_table (id INT PRIMARY KEY)");
                for (int i = 0; i < 5; i++) {
                    run(connection, "INSERT INTO plain_table VALUES (" + i + ")");
                }
                assertThat(one(connection, "SELECT COUNT(*) FROM plain_table")).isEqualTo("5");
                assertThat(one(connection, "SELECT @@gtid_domain_id")).isEqualTo("0");
            }
            // The account tries again only after a minute.
            assertThat(proxy.count("refused_1227")).isEqualTo(1);
            assertThat(proxy.count("unproven")).isEqualTo(5);
        }
    }

    @Test
    void aDefinerProcedureReplacesThePrivilege() throws Exception {
        try (DomainProxy proxy = pair.proxy("""
                mode: tag
                guard: off
                procedure: tools.set_domain
                rules: [ { name: all, domain: 13 } ]
                """)) {
            try (Connection connection = proxy.connect("plain")) {
                run(connection, "CREATE TABLE by_procedure (id INT PRIMARY KEY)");
                assertThat(one(connection, "SELECT @@last_gtid")).startsWith("13-");
                assertThat(one(connection, "SELECT @@gtid_domain_id")).isEqualTo("0");
            }
            assertThat(proxy.count("tagged")).isEqualTo(1);
        }
    }

    @Test
    void settingADomainKeepsTheLastInsertId() throws Exception {
        pair.primary().execute("CREATE TABLE dom.ids (id INT PRIMARY KEY AUTO_INCREMENT, v INT) AUTO_INCREMENT = 77");
        for (String procedure : List.of("", "procedure: tools.set_domain")) {
            try (DomainProxy proxy = pair.proxy("""
                    mode: tag
                    guard: off
                    rules: [ { name: updates, match: { kind: update }, domain: 14 } ]
                    """ + procedure);
                    Connection connection = proxy.connect("tagger")) {
                run(connection, "INSERT INTO ids (v) VALUES (1)");
                String id = one(connection, "SELECT LAST_INSERT_ID()");
                // No guard runs here: the standby could apply the update in one domain before the insert in the other.
                pair.awaitCaughtUp();
                run(connection, "UPDATE ids SET v = LAST_INSERT_ID() WHERE id = LAST_INSERT_ID()");

                assertThat(one(connection, "SELECT @@last_gtid")).startsWith("14-");
                assertThat(one(connection, "SELECT v FROM ids WHERE id = " + id))
                        .isEqualTo(id);
                assertThat(one(connection, "SELECT LAST_INSERT_ID()")).isEqualTo(id);
            }
        }
    }

    @Test
    void theFirstStatementOfAnAccountIsTagged() throws Exception {
        pair.account("fresh", "ALL ON *.*");
        pair.primary()
                .execute(
                        "CREATE TABLE dom.first_word (id INT PRIMARY KEY)",
                        "CREATE TABLE dom.words (id INT PRIMARY KEY AUTO_INCREMENT)");
        pair.awaitCaughtUp();
        try (DomainProxy proxy = pair.proxy("""
                mode: tag
                guard: pin
                learn: 0s
                rules:
                  - { name: first, match: { table: first_word }, domain: 16 }
                  - { name: words, match: { table: words }, domain: 17 }
                """);
                Connection primary = pair.direct(pair.primary());
                Connection other = proxy.connect("tagger")) {
            proxy.awaitGuard();
            // Tables leave the default domain once the standby is known to have all of before the start.
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                run(other, "INSERT INTO words VALUES ()");
                assertThat(one(other, "SELECT @@last_gtid")).startsWith("17-");
            });
            // A driver would query settings first.
            try (RawClient client = RawClient.open(proxy.server().addresses().get(0))) {
                client.login("fresh", DomainPair.PASSWORD, "dom", RawClient.PLAIN | RawClient.CONNECT_WITH_DB);
                client.command(3, "INSERT INTO first_word VALUES (1)");
                assertThat(client.read().isOk()).isTrue();
            }
            assertThat(one(primary, "SELECT @@gtid_binlog_pos")).contains("16-");
            assertThat(proxy.count("unproven")).isZero();
        }
    }

    /**
     * MariaDB resets a session before it authenticates, and goes on with it when it refuses: the session is in the
     * default domain again. From the fourth refusal on the error is 1047, without authentication.
     */
    @Tag("long")
    @Test
    void aRefusedChangeOfTheUserResetsTheDomain() throws Exception {
        try (DomainProxy proxy = pair.proxy("""
                mode: tag
                guard: off
                rules: [ { name: all, domain: 17 } ]
                """);
                Connection primary = pair.direct(pair.primary())) {
            try (Connection connection = proxy.connect("tagger")) {
                run(connection, "CREATE TABLE refused (id INT PRIMARY KEY)");
            }
            try (RawClient client = RawClient.open(proxy.server().addresses().get(0))) {
                client.login("tagger", DomainPair.PASSWORD, "dom", RawClient.PLAIN | RawClient.CONNECT_WITH_DB);
                for (int i = 0; i < 5; i++) {
                    String before = tagged(primary, 17);
                    client.execute("INSERT INTO refused VALUES (" + i + ")");
                    assertThat(tagged(primary, 17)).as("after %d refusals", i).isNotEqualTo(before);
                    client.changeUser("nobody", "wrong");
                    assertThat(client.finishAuthentication("wrong").isErr()).isTrue();
                }
            }
        }
    }

    /** Returns the GTID of the last transaction in a domain. */
    private static String tagged(Connection primary, int domain) throws SQLException {
        return Stream.of(one(primary, "SELECT @@gtid_binlog_pos").split(","))
                .filter(gtid -> gtid.startsWith(domain + "-"))
                .findAny()
                .orElse("");
    }
}
