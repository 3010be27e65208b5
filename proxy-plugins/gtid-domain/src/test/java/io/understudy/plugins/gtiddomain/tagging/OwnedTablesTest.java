package io.understudy.plugins.gtiddomain.tagging;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugins.gtiddomain.catalog.Catalog;
import io.understudy.testkit.FakeClient;
import io.understudy.testkit.FakeExchange;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Statements that follow the domain of the tables that they write and read. */
class OwnedTablesTest {
    private static final String TO_10 = "SET SESSION gtid_domain_id=10";
    private static final String TO_0 = "SET SESSION gtid_domain_id=0";

    @Test
    void tablesThatASchemaChangeReadsCountEvenInRowFormat() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        fixture.dictionary.setRowFormat(true);
        FakeClient app = fixture.client("app");

        assertThat(app.run("ALTER TABLE big ADD c INT")).isEqualTo(TO_10);
        assertThat(app.run("CREATE TABLE copy LIKE big")).isEqualTo("-");
        assertThat(app.run("CREATE VIEW seen AS SELECT * FROM big")).isEqualTo("-");
        assertThat(fixture.conflicts).allMatch(conflict -> conflict.startsWith("pinned"));
    }

    @Test
    void writesFollowTheDomainThatOwnsTheirTable() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient dba = fixture.client("app");
        FakeClient app = fixture.client("app");

        assertThat(dba.run("ALTER TABLE big ADD c INT")).isEqualTo(TO_10);
        assertThat(app.run("INSERT INTO orders VALUES (1)")).isEqualTo("-");
        assertThat(app.run("UPDATE big SET c = 1")).isEqualTo(TO_10);
        assertThat(fixture.conflicts).containsExactly("pinned shop.big 10/10");
        assertThat(fixture.count("10", "none", "pinned")).isEqualTo(1);
        fixture.caughtUp();
        assertThat(app.run("UPDATE big SET c = 1")).isEqualTo(TO_0);
    }

    @Test
    void aConflictOfMoreTablesThanAreFollowedIsCounted() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        String more = IntStream.range(0, 40).mapToObj(i -> ", t" + i).collect(Collectors.joining());

        assertThat(app.run("ALTER TABLE big ADD c INT")).isEqualTo(TO_10);
        assertThat(fixture.client("app").run("DROP TABLE big" + more)).isEqualTo("-");

        assertThat(fixture.conflicts).containsExactly("unknown_tables * 0/10");
    }

    /** It never leaves the default domain, so alone it meets no other one. */
    @Test
    void aTableForWhichThereIsNoRoomConflictsOnlyBesideOthers() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient app = fixture.client("app");

        assertThat(app.run("ALTER TABLE big ADD c INT")).isEqualTo(TO_10);
        FakeClient other = fixture.client("app");
        for (int i = 1; i < 100; i++) {
            other.run("DELETE FROM t" + i);
        }
        assertThat(fixture.policy.ownership.full()).isTrue();
        other.run("DELETE FROM beyond");
        other.run("DELETE FROM beyond");
        other.run("BEGIN");
        other.run("DELETE FROM beyond");
        other.run("COMMIT");
        assertThat(fixture.conflicts).isEmpty();
        other.run("DROP TABLE beyond, big");
        assertThat(fixture.conflicts).containsExactly("unknown_tables * 0/10");
    }

    /** MariaDB writes the row after its answer, in its global domain. */
    @Test
    void aDelayedInsertKeepsItsTableInTheDefaultDomain() {
        Fixture fixture = Fixture.tagging(Guard.PIN);

        assertThat(fixture.client("app").run("INSERT DELAYED INTO archive VALUES (1)"))
                .isEqualTo("-");
        fixture.caughtUp();
        assertThat(fixture.client("app").run("DELETE FROM archive")).isEqualTo("-");
    }

    @Test
    void aWriteInFlightOwnsItsTable() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient dba = fixture.client("app");
        FakeExchange alter = dba.send("ALTER TABLE big ADD c INT", true);
        fixture.caughtUp();
        FakeClient app = fixture.client("app");

        assertThat(app.run("UPDATE big SET c = 1")).isEqualTo(TO_10);
        dba.response(alter);
        assertThat(app.run("DELETE FROM big")).isEqualTo("-");
        fixture.caughtUp();
        assertThat(app.run("DELETE FROM big")).isEqualTo(TO_0);
    }

    @Test
    void aTransactionsTablesStayInTheDefaultDomainFromThenOn() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient app = fixture.client("app");

        app.run("BEGIN");
        app.run("INSERT INTO archive VALUES (1)");
        assertThat(fixture.client("app").run("DELETE FROM archive")).isEqualTo("-");
        app.run("COMMIT");
        fixture.caughtUp();
        assertThat(fixture.client("app").run("DELETE FROM archive")).isEqualTo("-");
        assertThat(fixture.count("0", "archive", "kept_default")).isEqualTo(2);
    }

    @Test
    void aTransactionThatMeetsAnotherDomainsTableIsCounted() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        fixture.client("app").run("DELETE FROM archive");
        FakeClient app = fixture.client("app");

        app.run("BEGIN");
        app.run("INSERT INTO archive VALUES (1)");
        app.run("COMMIT");

        assertThat(fixture.conflicts).containsExactly("transaction shop.archive 0/11");
        fixture.caughtUp();
        assertThat(fixture.client("app").run("DELETE FROM archive")).isEqualTo("-");
    }

    @Test
    void aWriteToUnknownTablesGoesToTheDefaultDomainAndKeepsEveryTableThere() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        FakeClient other = fixture.client("app");

        FakeExchange call = other.send("CALL anything()", true);
        assertThat(app.run("DELETE FROM archive")).isEqualTo("-");
        other.response(call);
        assertThat(app.run("DELETE FROM archive")).isEqualTo("-");
        fixture.caughtUp();
        assertThat(app.run("DELETE FROM archive")).isEqualTo("SET SESSION gtid_domain_id=11");
        assertThat(fixture.conflicts).containsExactly("pinned shop.archive 0/0");
    }

    @Test
    void aStatementOverSeveralTablesFollowsTheirOnlyOwner() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        app.run("DELETE FROM archive");

        assertThat(app.run("DELETE archive, orders FROM archive JOIN orders")).isEqualTo("-");
        assertThat(fixture.client("app").run("DELETE FROM orders")).isEqualTo("SET SESSION gtid_domain_id=11");
        assertThat(fixture.conflicts).containsExactly("pinned shop.orders 11/11");
    }

    @Test
    void aStatementOverTablesOfTwoDomainsGoesToTheDefaultOneAndIsCounted() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        app.run("DELETE FROM archive");
        app.run("DELETE FROM orders");

        assertThat(app.run("DELETE archive, orders FROM archive JOIN orders")).isEqualTo("-");
        assertThat(fixture.conflicts).containsExactly("two_domains shop.archive 0/11");
        fixture.caughtUp();
        assertThat(app.run("DELETE FROM archive")).isEqualTo("-");
    }

    @Test
    void viewsUnknownTablesAndAStaleDictionaryStayInTheDefaultDomain() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        fixture.policy = fixture.policy(Mode.TAG, Guard.PIN, null, Fixture.table("*", 10));
        fixture.caughtUp();
        FakeClient app = fixture.client("app");

        assertThat(app.run("DELETE FROM view")).isEqualTo("-");
        assertThat(app.run("DELETE FROM nowhere")).isEqualTo("-");
        fixture.caughtUp();
        assertThat(app.run("DELETE FROM big")).isEqualTo(TO_10);
        app.run("CREATE INDEX i ON big (c)");
        assertThat(fixture.dictionary.stale()).isTrue();
        assertThat(app.run("DELETE FROM archive")).isEqualTo(TO_0);
    }

    @Test
    void foreignKeysMakeOneFamily() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        fixture.policy = fixture.policy(Mode.TAG, Guard.PIN, null, Fixture.table("child", 10));
        fixture.caughtUp();
        FakeClient app = fixture.client("app");

        assertThat(app.run("INSERT INTO child VALUES (1)")).isEqualTo(TO_10);
        assertThat(app.run("INSERT INTO items VALUES (1)")).isEqualTo("-");
        assertThat(fixture.conflicts).containsExactly("pinned shop.child 10/10");
    }

    @Test
    void aWriteWithoutABoundaryIsCountedAndKeepsItsTable() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        app.run("DELETE FROM archive");
        FakeClient other = fixture.client("app");

        other.response(other.send("INSERT INTO archive VALUES (ROW_COUNT())", false));

        assertThat(fixture.conflicts).containsExactly("no_boundary shop.archive 0/11");
    }

    @Test
    void nothingIsGrantedBeforeTheStandbysHaveAppliedTheWritesBeforeTheStart() {
        Fixture fixture = new Fixture(Mode.TAG, Guard.PIN, Fixture.ddl(10));
        fixture.accounts.proven("app");
        FakeClient app = fixture.client("app");

        assertThat(app.run("ALTER TABLE big ADD c INT")).isEqualTo("-");
        fixture.dictionary.learned(fixture.dictionary.catalog(), fixture.dictionary.changes());
        fixture.caughtUp();
        assertThat(app.run("ALTER TABLE big ADD c INT")).isEqualTo(TO_10);
    }

    @Test
    void afterARefusalTheWriteCountsInTheOldDomain() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        app.refuseWith(1227);

        FakeExchange delete = app.send("DELETE FROM archive", true);

        assertThat(fixture.policy.ownership.ownersOf("shop.archive")).isEqualTo(1);
        app.response(delete);
        assertThat(fixture.accounts.isProven("app")).isFalse();
    }

    @Test
    void tablesThatAWriteReadsCountUnlessTheBinaryLogHasRows() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        String copy = "INSERT INTO archive SELECT * FROM orders";

        fixture.dictionary.setRowFormat(true);
        assertThat(app.run(copy)).isEqualTo("SET SESSION gtid_domain_id=11");
        assertThat(app.run("DELETE FROM orders")).isEqualTo(TO_0);
        fixture.caughtUp();
        fixture.dictionary.setRowFormat(false);
        assertThat(app.run(copy)).isEqualTo("SET SESSION gtid_domain_id=11");
        assertThat(app.run("DELETE FROM orders")).isEqualTo("-");
        assertThat(fixture.conflicts).containsExactly("pinned shop.orders 11/11");
    }

    @Test
    void temporaryTablesDoNotMakeTheDictionaryStale() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient app = fixture.client("app");

        app.run("CREATE TEMPORARY TABLE x (id INT)");
        app.run("TRUNCATE big");

        assertThat(fixture.dictionary.stale()).isFalse();
    }

    /** Long data or a read of diagnostics before it: nothing can be injected, whatever the statement before it was. */
    @Test
    void aWriteAwayFromABoundaryDoesNotFollowOneThatHasEnded() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        FakeClient other = fixture.client("app");
        assertThat(other.run("DELETE FROM archive")).isEqualTo("SET SESSION gtid_domain_id=11");
        fixture.caughtUp();
        assertThat(app.run("ALTER TABLE archive FORCE")).isEqualTo(TO_10);
        other.response(other.send("INSERT INTO archive VALUES (ROW_COUNT())", false));
        assertThat(fixture.conflicts).containsExactly("no_boundary shop.archive 0/10");
        fixture.dictionary.learned(fixture.dictionary.catalog(), fixture.dictionary.changes());
        fixture.caughtUp();
        app.run("SELECT 1");

        assertThat(app.run("DELETE FROM archive"))
                .as("it can be written unsteered")
                .isEqualTo("-");
    }

    /** As by pt-online-schema-change, whose triggers tie a table to one with a smaller name. */
    @Test
    void aTableStaysInTheDefaultDomainAlsoInAnotherFamily() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        app.run("BEGIN");
        app.run("INSERT INTO archive VALUES (1)");
        app.run("COMMIT");
        for (boolean tied : new boolean[] {true, false}) {
            Catalog.Builder catalog = new Catalog.Builder();
            catalog.table("shop.archive", true);
            catalog.table("shop._archive_new", true);
            if (tied) {
                catalog.foreignKey("shop._archive_new", "shop.archive");
            }
            fixture.dictionary.learned(catalog.build(), fixture.dictionary.changes());
            fixture.caughtUp();
            fixture.prune();
            assertThat(app.run("DELETE FROM archive")).as("tied: %s", tied).isEqualTo("-");
        }
    }

    /** The login's OK tells; the first statement begins a transaction. */
    @Test
    void withAutocommitOffFromTheLoginTheFirstStatementBeginsATransaction() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        app.setAutocommit(false);
        assertThat(app.run("DELETE FROM archive")).isEqualTo("-");
    }

    private static Fixture withViewAndFunction() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        Catalog.Builder catalog = new Catalog.Builder();
        for (String table : List.of("shop.orders", "shop.archive")) {
            catalog.table(table, true);
        }
        catalog.table("shop.totals", false);
        catalog.table("shop.grand", false);
        catalog.table("shop.called", false);
        catalog.table("shop.over", false);
        catalog.routine("shop", "f");
        catalog.view("shop", "totals", "select count(0) AS `n` from `shop`.`archive`", false);
        catalog.view("shop", "grand", "select sum(n) AS `n` from `shop`.`totals`", false);
        catalog.view("shop", "called", "select `f`() AS `n`", false);
        catalog.view("shop", "over", "select `called`.`n` AS `n` from `shop`.`called`", false);
        catalog.routinesKnown();
        catalog.routineBody("shop", "f", "RETURN (SELECT SUM(v) FROM archive)");
        fixture.dictionary.learned(catalog.build(), fixture.dictionary.changes());
        fixture.caughtUp();
        return fixture;
    }

    /** With binlog_format MIXED a replica reads the view's tables itself. */
    @Test
    void aStatementThatReadsAViewFollowsItsTables() {
        for (String view : List.of("totals", "grand")) {
            Fixture fixture = withViewAndFunction();
            FakeClient app = fixture.client("app");
            assertThat(app.run("DELETE FROM archive")).isEqualTo("SET SESSION gtid_domain_id=11");
            assertThat(app.run("INSERT INTO orders SELECT n, 1 FROM " + view))
                    .as(view)
                    .isEqualTo("-");
        }
    }

    /** As in the test before, a replica calls the function itself. */
    @Test
    void aStatementThatCallsAReadingFunctionIsCounted() {
        Fixture fixture = withViewAndFunction();
        FakeClient app = fixture.client("app");
        assertThat(app.run("DELETE FROM archive")).isEqualTo("SET SESSION gtid_domain_id=11");
        app.send("UPDATE orders SET v = f(1)", true);
        assertThat(fixture.conflicts).containsExactly("two_domains shop.archive 0/11");
        fixture.caughtUp();
        assertThat(fixture.client("app").run("DELETE FROM archive"))
                .as("nothing leaves the default domain meanwhile")
                .isEqualTo("-");
        Fixture rows = withViewAndFunction();
        rows.dictionary.setRowFormat(true);
        rows.client("app").send("UPDATE orders SET v = f(1)", true);
        assertThat(rows.client("app").run("DELETE FROM archive")).isEqualTo("SET SESSION gtid_domain_id=11");
    }

    @Test
    void aStatementThatReadsAViewOverAViewThatCallsAReadingFunctionIsCounted() {
        for (String view : List.of("called", "over")) {
            Fixture fixture = withViewAndFunction();
            FakeClient app = fixture.client("app");
            assertThat(app.run("DELETE FROM archive")).isEqualTo("SET SESSION gtid_domain_id=11");
            assertThat(app.run("INSERT INTO orders SELECT n, 1 FROM " + view)).isEqualTo(TO_0);
            assertThat(fixture.conflicts).as(view).containsExactly("two_domains shop.archive 0/11");
            fixture.caughtUp();
            assertThat(app.run("DELETE FROM archive")).as("from then on").isEqualTo("-");
        }
    }
}
