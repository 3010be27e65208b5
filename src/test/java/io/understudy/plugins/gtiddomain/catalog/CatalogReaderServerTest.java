package io.understudy.plugins.gtiddomain.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.embedded.EmbeddedServer;
import io.understudy.embedded.ServerOptions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A real server's dictionary with tables that write others, and a dictionary with more objects than the limit: an
 * unread object may write any table, so no table may be handed over.
 */
@Timeout(120)
class CatalogReaderServerTest {
    private static final List<String> TABLES = List.of("s.a", "s.b", "s.c");

    private static EmbeddedServer server;

    @BeforeAll
    static void start() throws Exception {
        server = EmbeddedServer.start(ServerOptions.of(1));
        server.execute("CREATE DATABASE s");
        for (String table : TABLES) {
            server.execute("CREATE TABLE " + table + " (id INT PRIMARY KEY)");
        }
        for (String procedure : List.of("p1", "p2", "p3", "p4")) {
            server.execute("CREATE PROCEDURE s." + procedure + "() SELECT 1");
        }
        server.execute("DROP DATABASE IF EXISTS test");
    }

    /** Beside foreign keys, triggers and updatable views. */
    @Test
    void whateverWritesAnotherTableIsTiedToIt() throws Exception {
        server.execute(
                "CREATE DATABASE ties",
                "CREATE SEQUENCE ties.ids",
                "CREATE TABLE ties.one (id BIGINT DEFAULT NEXTVAL(ties.ids), v INT)",
                "CREATE TABLE ties.two (v INT, id BIGINT DEFAULT (1 + NEXT VALUE FOR ties.ids))",
                "CREATE TABLE ties.apart (id INT, at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, v INT DEFAULT (RAND() * 9))",
                "CREATE TABLE ties.part (id INT) ENGINE=MyISAM",
                "CREATE TABLE ties.whole (id INT) ENGINE=MERGE UNION=(ties.part) INSERT_METHOD=LAST",
                "CREATE VIEW ties.next_id AS SELECT NEXTVAL(ties.ids) AS n",
                "CREATE VIEW ties.sums AS SELECT SUM(v) AS v FROM ties.apart");
        try {
            Catalog catalog = read(1_000);

            assertThat(catalog.family("ties.one"))
                    .isEqualTo(catalog.family("ties.two"))
                    .isEqualTo(catalog.family("ties.ids"));
            assertThat(catalog.family("ties.part")).isEqualTo(catalog.family("ties.whole"));
            assertThat(catalog.family("ties.apart")).isEqualTo("ties.apart");
            assertThat(Set.of("ties.one", "ties.part", "ties.apart"))
                    .allMatch(table -> catalog.movable(catalog.family(table)));
            assertThat(catalog.writesWhenRead("ties.next_id")).isTrue();
            assertThat(catalog.writesWhenRead("ties.sums")).isFalse();
        } finally {
            server.execute("DROP DATABASE ties");
        }
    }

    /** As a server shows them: views name views, and functions of the same schema have no schema. */
    @Test
    void nestedViewsTriggersAndFunctionsAreFollowedToTheirTables() throws Exception {
        server.execute(
                "SET GLOBAL log_bin_trust_function_creators=1",
                "CREATE DATABASE deep",
                "CREATE TABLE deep.source (id INT, v INT)",
                "CREATE TABLE deep.written (id INT)",
                "CREATE TABLE deep.base (id INT)",
                "CREATE TABLE deep.reads (id INT)",
                "CREATE TABLE deep.writes (id INT)",
                "CREATE TABLE deep.views (id INT)",
                "CREATE FUNCTION deep.total() RETURNS INT RETURN (SELECT SUM(v) FROM deep.source)",
                "CREATE PROCEDURE deep.total() SELECT 1",
                "CREATE FUNCTION deep.twice() RETURNS INT RETURN 2 * deep.total()",
                "CREATE FUNCTION deep.fill() RETURNS INT BEGIN INSERT INTO deep.written VALUES (1); RETURN 1; END",
                "CREATE FUNCTION deep.outer_fill() RETURNS INT RETURN deep.fill()",
                "CREATE VIEW deep.called AS SELECT deep.twice() AS n",
                "CREATE VIEW deep.over AS SELECT n FROM deep.called",
                "CREATE VIEW deep.top AS SELECT * FROM deep.over",
                "CREATE VIEW deep.filling AS SELECT deep.outer_fill() AS n FROM deep.base",
                "CREATE VIEW deep.over_filling AS SELECT n FROM deep.filling",
                "CREATE VIEW deep.top_filling AS SELECT * FROM deep.over_filling",
                "CREATE TRIGGER deep.r BEFORE INSERT ON deep.reads FOR EACH ROW SET NEW.id = deep.twice()",
                "CREATE TRIGGER deep.w BEFORE INSERT ON deep.writes FOR EACH ROW SET NEW.id = deep.outer_fill()",
                "CREATE TRIGGER deep.v BEFORE INSERT ON deep.views FOR EACH ROW"
                        + " SET NEW.id = (SELECT MAX(n) FROM deep.top_filling)");
        try {
            Catalog catalog = read(1_000);

            assertThat(catalog.readThrough("deep.top")).contains("deep.source");
            assertThat(Set.of("deep.called", "deep.over", "deep.top")).allMatch(catalog::callsWhenRead);
            assertThat(Set.of("deep.filling", "deep.over_filling", "deep.top_filling"))
                    .allMatch(catalog::writesWhenRead);
            assertThat(catalog.readByCall("deep.twice")).containsExactly("deep.source");
            assertThat(catalog.family("deep.reads")).isEqualTo(catalog.family("deep.source"));
            assertThat(Set.of("deep.writes", "deep.views"))
                    .allMatch(table -> catalog.family(table).equals(catalog.family("deep.written")));
            assertThat(catalog.movable(catalog.family("deep.reads"))).isTrue();
            assertThat(Set.of("deep.writes", "deep.views", "deep.written"))
                    .noneMatch(table -> catalog.movable(catalog.family(table)));
        } finally {
            server.execute("DROP DATABASE deep");
        }
    }

    @Test
    void aPackagesFunctionThatWritesIsKnown() throws Exception {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            for (String sql : List.of(
                    "CREATE DATABASE packed",
                    "USE packed",
                    "CREATE TABLE written (id INT)",
                    "SET sql_mode = ORACLE",
                    "CREATE PACKAGE pkg AS FUNCTION f(x INT) RETURN INT; END",
                    "CREATE PACKAGE BODY pkg AS FUNCTION f(x INT) RETURN INT AS BEGIN"
                            + " INSERT INTO written VALUES (x); RETURN x; END; END",
                    "SELECT pkg.f(1)",
                    "SELECT packed.pkg.f(2)")) {
                statement.execute(sql);
            }
            Catalog catalog = read(1_000);
            assertThat(catalog.mayWrite("pkg.f")).isTrue();
            assertThat(catalog.movable(catalog.family("packed.written"))).isFalse();
        } finally {
            server.execute("DROP DATABASE IF EXISTS packed");
        }
    }

    /** So the reader need not look for them there. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TABLE s.x (id INT, v INT AS (NEXTVAL(s.ids)) STORED)",
                "CREATE TABLE s.x (id INT, v INT AS (s.one()) VIRTUAL)",
                "CREATE TABLE s.x (id INT, v INT DEFAULT (s.one()))",
                "CREATE TABLE s.x (id INT CHECK (id < NEXTVAL(s.ids)))",
                "CREATE TABLE s.x (id INT, CHECK (id < s.one()))"
            })
    void theServerRefusesOtherReferencesToWriters(String sql) throws Exception {
        server.execute("CREATE SEQUENCE s.ids", "CREATE FUNCTION s.one() RETURNS INT NO SQL RETURN 1");
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.execute(sql)).isInstanceOfSatisfying(SQLException.class, refused -> {
                assertThat(refused.getErrorCode()).isEqualTo(1901);
            });
        } finally {
            server.execute("DROP SEQUENCE s.ids", "DROP FUNCTION s.one");
        }
    }

    /** The dictionary has no row for a trigger, or an event, that the account has no privilege for. */
    @Test
    void tablesWhoseTriggersOrEventsTheAccountCannotSeeStayInTheDefaultDomain() throws Exception {
        server.execute(
                "CREATE DATABASE seen",
                "CREATE DATABASE unseen",
                "CREATE TABLE seen.t (id INT PRIMARY KEY)",
                "CREATE TABLE unseen.t (id INT PRIMARY KEY)",
                "CREATE TRIGGER unseen.hidden AFTER INSERT ON unseen.t FOR EACH ROW INSERT INTO s.a VALUES (NEW.id)",
                "CREATE USER watch@'%'",
                "CREATE ROLE looks",
                "GRANT SELECT, SHOW VIEW ON *.* TO watch@'%'",
                "GRANT TRIGGER ON seen.* TO looks",
                "GRANT looks TO watch@'%'",
                "SET DEFAULT ROLE looks FOR watch@'%'");
        try (Connection connection = DriverManager.getConnection(
                "jdbc:mariadb://127.0.0.1:" + server.port() + "/?sslMode=disable&user=watch")) {
            Catalog catalog = CatalogReader.read(connection);
            assertThat(catalog.tables()).contains("unseen.t");
            assertThat(catalog.movable("seen.t")).isTrue();
            assertThat(catalog.movable("unseen.t")).isFalse();
            assertThat(catalog.unseenSchemas()).contains("unseen").doesNotContain("seen");

            server.execute("SET GLOBAL event_scheduler=ON");
            assertThat(CatalogReader.read(connection).movable("seen.t")).isFalse();
            server.execute("GRANT EVENT ON seen.* TO looks");
            assertThat(CatalogReader.read(connection).movable("seen.t")).isTrue();
        } finally {
            server.execute(
                    "SET GLOBAL event_scheduler=OFF",
                    "DROP USER watch@'%'",
                    "DROP ROLE looks",
                    "DROP DATABASE seen",
                    "DROP DATABASE unseen");
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Catalog read(int maxRows) throws Exception {
        try (Connection connection = server.connect()) {
            return CatalogReader.read(connection, maxRows);
        }
    }

    private static void staysInTheDefaultDomain(Catalog catalog) {
        Dictionary dictionary = new Dictionary(() -> 0, 0);
        dictionary.learned(catalog, dictionary.changes());
        assertThat(catalog.cut()).isTrue();
        assertThat(TABLES).noneMatch(dictionary::mayLeaveDefault).noneMatch(dictionary::mightLeaveDefault);
        assertThat(dictionary.mayWrite(List.of("abs"), "s"))
                .as("a routine that was not read may have the name")
                .isTrue();
    }

    @Test
    void aDictionaryWithTooManyTablesKeepsTheDefaultDomain() throws Exception {
        staysInTheDefaultDomain(read(2));
    }

    @Test
    void aDictionaryWithTooManyRoutinesKeepsTheDefaultDomain() throws Exception {
        staysInTheDefaultDomain(read(3));
    }

    @Test
    void aDictionaryAtTheLimitIsRead() throws Exception {
        Catalog catalog = read(4);

        assertThat(catalog.cut()).isFalse();
        assertThat(TABLES).allMatch(catalog::movable);
    }
}
