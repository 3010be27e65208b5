package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A view executes what its definition says, whatever the statement that names it looks like. */
@Timeout(120)
@Tag("long")
class MirrorViewsServerTest extends MirroredPair {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @BeforeAll
    static void createTables() {
        pair.primary()
                .execute(
                        "GRANT SHOW VIEW ON shop.* TO " + MIRROR + "@'%'",
                        "CREATE VIEW shop.pure_view AS SELECT id, UPPER(note) AS note FROM shop.orders",
                        "CREATE VIEW shop.lock_view AS SELECT GET_LOCK('viewed', 0) AS got",
                        "CREATE VIEW shop.outer_view AS SELECT got FROM shop.lock_view",
                        "CREATE VIEW shop.sleep_view AS SELECT SLEEP(0.01) AS slept FROM shop.orders WHERE id = 1",
                        "CREATE FUNCTION shop.f() RETURNS INT DETERMINISTIC NO SQL RETURN 1",
                        "CREATE VIEW shop.function_view AS SELECT shop.f() AS a",
                        "CREATE VIEW depot.closed_view AS SELECT id FROM depot.shelves");
        pair.awaitCaughtUp(PATIENCE);
    }

    private static String lockOnStandby() {
        return pair.standby().query("SELECT IS_FREE_LOCK('viewed')");
    }

    @Test
    void aViewIsMirroredIfItsDefinitionOnlyReads() throws Exception {
        try (MirrorProxy proxy = proxy("{ rules: [ { name: all } ] }");
                Connection connection = proxy.mariadb("")) {
            for (String view : List.of("lock_view", "outer_view", "sleep_view", "function_view", "depot.closed_view")) {
                run(connection, "SELECT * FROM " + view + " /* refused-view */");
                run(connection, "SELECT * FROM orders o, " + view + " v /* refused-view */ WHERE o.id = 1");
            }
            run(connection, "DO RELEASE_ALL_LOCKS()");
            run(connection, "SELECT note FROM pure_view /* pure-view */ WHERE id = 7");
            run(connection, "SELECT note FROM shop.orders /* pure-view */ WHERE id = 7");

            await().atMost(PATIENCE).until(() -> texts("pure-view").size() == 2);
            await().atMost(PATIENCE).until(() -> proxy.waiting("statements") == 0);
            assertThat(texts("refused-view")).isEmpty();
            assertThat(lockOnStandby()).isEqualTo("1");
            assertThat(proxy.dropped("view")).isEqualTo(10);
            assertThat(proxy.dropped()).isEqualTo(10);
            assertThat(String.valueOf(proxy.view()))
                    .contains("{view=shop.lock_view, reason=side_effect_function}")
                    .contains("{view=shop.outer_view, reason=side_effect_function}")
                    .contains("{view=shop.function_view, reason=stored_function}")
                    .contains("{view=depot.closed_view, reason=definition_not_visible}");
        }
        try (MirrorProxy proxy = proxy("{ functions: [ shop.f ], rules: [ { name: all } ] }");
                Connection connection = proxy.mariadb("")) {
            run(connection, "SELECT a FROM function_view /* listed-function */");
            await().atMost(PATIENCE).until(() -> texts("listed-function").size() == 1);
        }
    }

    /** MRG_MyISAM stands for FEDERATED and the like, which the embedded server does not have. */
    @Test
    void aTableWhoseEngineMayReadElsewhereIsNotMirrored() throws Exception {
        pair.primary()
                .execute(
                        "CREATE TABLE shop.elsewhere_engine (id INT) ENGINE=MRG_MyISAM",
                        "CREATE VIEW shop.elsewhere_view AS SELECT id FROM shop.elsewhere_engine",
                        "CREATE TABLE shop.parted (id INT) ENGINE=Aria PARTITION BY HASH (id) PARTITIONS 2");
        pair.awaitCaughtUp(PATIENCE);
        try (MirrorProxy proxy = proxy("{ rules: [ { name: all } ] }");
                Connection connection = proxy.mariadb("")) {
            run(connection, "SELECT id FROM elsewhere_engine /* engine-elsewhere */");
            run(connection, "SELECT id FROM elsewhere_view /* engine-elsewhere */");
            run(connection, "SELECT id FROM parted /* engine-local */");

            await().atMost(PATIENCE).until(() -> texts("engine-local").size() == 1);
            await().atMost(PATIENCE).until(() -> proxy.dropped("engine") == 2);
            assertThat(texts("engine-elsewhere")).isEmpty();
            assertThat(String.valueOf(proxy.view()))
                    .contains("{table=shop.elsewhere_engine, reason=engine_mrg_myisam}")
                    .contains("accountCanAlso=[]");
        }
    }

    /** A definition read before a change through the proxy is not used after it. */
    @Test
    void aViewThatIsReplacedIsReadAgain() throws Exception {
        pair.primary()
                .execute("GRANT CREATE VIEW, DROP ON shop.* TO app@'%'", "CREATE VIEW shop.changing AS SELECT 1 AS a");
        pair.awaitCaughtUp(PATIENCE);
        try (MirrorProxy proxy =
                        proxy("{ pauseAbove: { replicationLag: 1s }, concurrency: 1, rules: [ { name: all } ] }");
                Connection connection = proxy.mariadb("")) {
            run(connection, "SELECT a FROM changing /* changing-1 */");
            await().atMost(PATIENCE).until(() -> texts("changing-1").size() == 1);
            pair.standby().execute("STOP SLAVE SQL_THREAD");
            run(connection, "CREATE OR REPLACE VIEW changing AS SELECT GET_LOCK('viewed', 0) AS a");
            pair.standby().execute("START SLAVE");
            proxy.awaitMirroring();
            run(connection, "SELECT a FROM changing /* changing-2 */");
            run(connection, "DO RELEASE_ALL_LOCKS()");
            await().atMost(PATIENCE).until(() -> proxy.dropped("table_unknown") > 0);
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(500)).until(() -> {
                run(connection, "SELECT a FROM changing /* changing-2 */");
                return proxy.dropped("view") > 0;
            });
            assertThat(texts("changing-2")).isEmpty();
            assertThat(lockOnStandby()).isEqualTo("1");
        }
    }

    /** A change that did not pass the proxy is found later; no lock that was taken meanwhile stays. */
    @Test
    void aViewThatIsReplacedElsewhereIsFound() throws Exception {
        pair.primary().execute("CREATE VIEW shop.elsewhere AS SELECT 1 AS a");
        pair.awaitCaughtUp(PATIENCE);
        try (MirrorProxy proxy = proxy("{ concurrency: 2, rules: [ { name: all } ] }");
                Connection connection = proxy.mariadb("")) {
            run(connection, "SELECT a FROM elsewhere /* elsewhere-1 */");
            await().atMost(PATIENCE).until(() -> texts("elsewhere-1").size() == 1);
            pair.primary().execute("CREATE OR REPLACE VIEW shop.elsewhere AS SELECT GET_LOCK('viewed', 0) AS a");
            pair.awaitCaughtUp(PATIENCE);
            await().atMost(Duration.ofSeconds(40))
                    .pollInterval(Duration.ofMillis(500))
                    .until(() -> {
                        run(connection, "SELECT a FROM elsewhere");
                        return proxy.dropped("view") > 0;
                    });
            await().atMost(PATIENCE).until(() -> lockOnStandby().equals("1"));
        }
    }

    /** The driver sends UTF-8 whatever the session's character set is: in latin1 the bytes of é are the name Ã©. */
    @Test
    void aNameInAnotherCharacterSetIsNotLookedUpAsUtf8() throws Exception {
        pair.primary()
                .execute(
                        "CREATE TABLE shop.`é` (got INT)",
                        "CREATE VIEW shop.`Ã©` AS SELECT GET_LOCK('viewed', 0) AS got");
        pair.awaitCaughtUp(PATIENCE);
        try (MirrorProxy proxy = proxy("{ rules: [ { name: all } ] }");
                Connection connection = proxy.mariadb("")) {
            run(connection, "SELECT got FROM `é` /* other-charset-1 */");
            await().atMost(PATIENCE).until(() -> texts("other-charset-1").size() == 1);
            // The driver closes a session that is reported to have another character set.
            run(connection, "SET session_track_system_variables = ''");
            run(connection, "SET NAMES latin1");
            run(connection, "SELECT got FROM `é` /* other-charset-2 */");
            run(connection, "DO RELEASE_ALL_LOCKS()");
            run(connection, "SELECT 1 FROM orders /* other-charset-3 */ WHERE id = 1");
            await().atMost(PATIENCE).until(() -> texts("other-charset-3").size() == 1);
            assertThat(texts("other-charset-2")).isEmpty();
            assertThat(lockOnStandby()).isEqualTo("1");
        }
    }

    /** A query with a WITH clause of its own does not see all names of the query around it. */
    @Test
    void aNestedWithClauseDoesNotHideAView() throws Exception {
        try (MirrorProxy proxy = proxy("{ rules: [ { name: all } ] }");
                Connection connection = proxy.mariadb("")) {
            run(
                    connection,
                    "WITH lock_view AS (SELECT 1 AS got) SELECT got FROM"
                            + " (WITH c AS (SELECT got FROM lock_view) SELECT got FROM c) d /* nested-with */");
            run(connection, "DO RELEASE_ALL_LOCKS()");
            await().atMost(PATIENCE).until(() -> proxy.dropped("view") == 1);
            assertThat(texts("nested-with")).isEmpty();
            assertThat(lockOnStandby()).isEqualTo("1");
        }
    }

    /** A table that only the primary shows to the application is named with the standby's own error. */
    @Test
    void aTableThatTheAccountMustNotReadIsNamed() throws Exception {
        pair.primary()
                .execute(
                        "CREATE DATABASE closed", "CREATE TABLE closed.t (id INT)", "GRANT ALL ON closed.* TO app@'%'");
        pair.awaitCaughtUp(PATIENCE);
        try (MirrorProxy proxy = proxy("{ rules: [ { name: all } ] }");
                Connection connection = proxy.mariadb("")) {
            run(connection, "SELECT id FROM closed.t");
            await().atMost(PATIENCE).until(() -> proxy.executed("error") == 1);
            assertThat(proxy.dropped("table_unknown")).isZero();
            assertThat(String.valueOf(proxy.view())).contains("error=1142", "notFound=[closed.t]");
        }
    }

    /** MariaDB reads the privileges on the present schema at {@code USE}, not at a GRANT. */
    @Test
    void aGrantIsSeenByConnectionsThatAreOpen() throws Exception {
        String account = MIRROR + "@'%'";
        pair.primary()
                .execute(
                        "CREATE DATABASE late",
                        "CREATE TABLE late.t (id INT, hidden INT)",
                        "GRANT ALL ON late.* TO app@'%'",
                        "GRANT SELECT (id) ON late.t TO " + account);
        pair.awaitCaughtUp(PATIENCE);
        try (MirrorProxy proxy = proxy("{ rules: [ { name: all } ] }");
                Connection connection = proxy.mariadb("")) {
            run(connection, "USE late");
            await().atMost(PATIENCE).until(() -> {
                run(connection, "SELECT hidden FROM t");
                return proxy.executed("error") > 0;
            });
            pair.primary().execute("GRANT SELECT ON late.* TO " + account);
            pair.awaitCaughtUp(PATIENCE);
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(200)).until(() -> {
                run(connection, "SELECT hidden FROM t");
                return proxy.executed("ok") > 0;
            });
        }
    }

    /** A table is known as soon as the standby has it. */
    @Test
    void aNewTableIsMirroredSoon() throws Exception {
        try (MirrorProxy proxy = proxy("{ rules: [ { name: all } ] }");
                Connection connection = proxy.mariadb("")) {
            pair.primary().execute("CREATE TABLE shop.fresh (id INT)");
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(300)).until(() -> {
                run(connection, "SELECT id FROM fresh /* fresh-1 */");
                return !texts("fresh-1").isEmpty();
            });
        }
    }
}
