package io.understudy.plugins.gtiddomain;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.InjectedStatement;
import io.understudy.testkit.FakeClient;
import io.understudy.testkit.FakeExchange;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DomainObserverTest {
    private static final String TO_10 = "SET SESSION gtid_domain_id=10";
    private static final String TO_0 = "SET SESSION gtid_domain_id=0";

    private static Fixture tagging(Guard guard) {
        Fixture fixture = new Fixture(Mode.TAG, guard, Fixture.ddl(10), Fixture.table("archive", 11));
        fixture.accounts.proven("app");
        fixture.caughtUp();
        return fixture;
    }

    @Test
    void theDomainIsSetOnlyWhenItDiffersAndOnlyBeforeWrites() {
        FakeClient app = tagging(Guard.OFF).client("app");

        assertThat(app.run("SELECT 1")).isEqualTo("-");
        assertThat(app.run("INSERT INTO orders VALUES (1)")).isEqualTo("-");
        assertThat(app.run("ALTER TABLE big ADD c INT")).isEqualTo(TO_10);
        assertThat(app.run("ALTER TABLE big ADD d INT")).isEqualTo("-");
        assertThat(app.run("SELECT * FROM big")).isEqualTo(TO_0);
        assertThat(app.run("INSERT INTO orders VALUES (1)")).isEqualTo("-");
        assertThat(app.run("ALTER TABLE big ADD e INT")).isEqualTo(TO_10);
        assertThat(app.run("BEGIN")).isEqualTo(TO_0);
        assertThat(app.run("ALTER TABLE big ADD f INT")).isEqualTo("-");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1",
                "SET STATEMENT max_statement_time=5 FOR UPDATE orders SET v = 1",
                "SET STATEMENT gtid_seq_no=5 FOR UPDATE orders SET v = 1",
                "DO f(1)",
                "INSERT INTO archive VALUES (f(1))",
                "DELETE FROM archive; COMMIT; DELETE FROM orders",
                "DELETE FROM big; DELETE FROM orders",
                "CALL p()",
                "not understood"
            })
    void everyCommandAfterATaggedStatementRunsInTheDefaultDomain(String sql) {
        FakeClient app = tagging(Guard.PIN).client("app");

        assertThat(app.run("DELETE FROM archive")).isEqualTo("SET SESSION gtid_domain_id=11");
        assertThat(app.run(sql)).isEqualTo(TO_0);
    }

    @Test
    void setStatementIsSteeredLikeTheStatementItRuns() {
        FakeClient app = tagging(Guard.PIN).client("app");

        assertThat(app.run("SET STATEMENT max_statement_time=5 FOR DELETE FROM archive"))
                .isEqualTo("SET SESSION gtid_domain_id=11");
        assertThat(app.run("SET STATEMENT max_statement_time=5 FOR DELETE FROM archive"))
                .isEqualTo("-");
    }

    @Test
    void tablesThatASchemaChangeReadsCountEvenInRowFormat() {
        Fixture fixture = tagging(Guard.PIN);
        fixture.dictionary.setRowFormat(true);
        FakeClient app = fixture.client("app");

        assertThat(app.run("ALTER TABLE big ADD c INT")).isEqualTo(TO_10);
        assertThat(app.run("CREATE TABLE copy LIKE big")).isEqualTo("-");
        assertThat(app.run("CREATE VIEW seen AS SELECT * FROM big")).isEqualTo("-");
        assertThat(fixture.conflicts).allMatch(conflict -> conflict.startsWith("pinned"));
    }

    @Test
    void severalStatementsInOneTextCountConflictsAndStayInTheDefaultDomain() {
        Fixture fixture = tagging(Guard.PIN);
        FakeClient app = fixture.client("app");

        app.run("DELETE FROM archive");
        assertThat(app.run("SET @a = 1; DELETE FROM archive; DELETE FROM orders"))
                .isEqualTo(TO_0);
        assertThat(fixture.conflicts).containsExactly("two_domains shop.archive 0/11");
        fixture.caughtUp();
        assertThat(app.run("DELETE FROM archive")).isEqualTo("-");
        assertThat(app.run("COMMIT; DELETE FROM big; DELETE FROM orders")).isEqualTo("-");
        fixture.caughtUp();
        assertThat(fixture.dictionary.stale()).isFalse();
    }

    /** Connector/J sends batches of updates so, with {@code rewriteBatchedStatements}. */
    @Test
    void severalStatementsThatOnlyWriteRowsAreSteeredAsOne() {
        Fixture fixture = tagging(Guard.PIN);
        FakeClient app = fixture.client("app");

        assertThat(app.run("DELETE FROM archive; DELETE FROM archive")).isEqualTo("SET SESSION gtid_domain_id=11");
        assertThat(app.run("DELETE FROM archive")).isEqualTo("-");
        assertThat(app.run("DELETE FROM archive; SELECT ROW_COUNT(); DELETE FROM big"))
                .isEqualTo("-");
        assertThat(fixture.conflicts).isEmpty();
        assertThat(app.run("DELETE FROM orders")).isEqualTo(TO_0);
        assertThat(app.run("DELETE FROM big; DELETE FROM orders")).isEqualTo("-");
        assertThat(fixture.conflicts).containsExactly("two_domains shop.big 0/11");
    }

    @Test
    void anUnknownStatementCountsAConflictWhileAnotherDomainIsWritten() {
        Fixture fixture = tagging(Guard.PIN);
        FakeClient app = fixture.client("app");

        app.run("DELETE FROM archive");
        assertThat(app.run("EXECUTE s")).isEqualTo(TO_0);
        assertThat(fixture.conflicts).containsExactly("unknown_tables * 0/11");
    }

    @Test
    void aPipelinedStatementOfTheSameTablesGoesToTheSameDomain() {
        Fixture fixture = tagging(Guard.PIN);
        FakeClient app = fixture.client("app");

        FakeExchange first = app.send("DELETE FROM archive WHERE id = 1", true);
        FakeExchange second = app.send("DELETE FROM archive WHERE id = 2", false);
        assertThat(app.injected()).isEqualTo("-");
        FakeExchange third = app.send("DELETE FROM orders", false);
        assertThat(app.injected()).isEqualTo(TO_0);
        app.response(first);
        app.response(second);
        app.response(third);
        fixture.caughtUp();
        assertThat(app.run("DELETE FROM archive")).isEqualTo("SET SESSION gtid_domain_id=11");
        assertThat(fixture.conflicts).isEmpty();
    }

    @Test
    void aProcedureReplacesThePrivilege() {
        Fixture fixture = tagging(Guard.OFF);
        fixture.policy = fixture.policy(Mode.TAG, Guard.OFF, "tools.set_domain", Fixture.ddl(10));

        assertThat(fixture.client("app").run("ALTER TABLE big ADD c INT")).isEqualTo("CALL `tools`.`set_domain`(10)");
    }

    @Test
    void sessionRulesDecideForTransactionsIfTheGuardAllows() {
        Fixture fixture = new Fixture(Mode.TAG, Guard.WARN, Fixture.ddl(10), Fixture.user("archiver", 11));
        FakeClient archiver = fixture.client("archiver");

        assertThat(archiver.run("START TRANSACTION")).isEqualTo("SET SESSION gtid_domain_id=11");
        assertThat(archiver.run("DELETE FROM orders")).isEqualTo("-");
        assertThat(archiver.run("COMMIT")).isEqualTo("-");
        assertThat(fixture.client("app").run("START TRANSACTION")).isEqualTo("-");

        Fixture pinned = new Fixture(Mode.TAG, Guard.PIN, Fixture.user("archiver", 11));
        pinned.accounts.proven("archiver");
        pinned.caughtUp();
        assertThat(pinned.client("archiver").run("START TRANSACTION")).isEqualTo("-");
    }

    @Test
    void withAutocommitOffTheFirstStatementBeginsATransaction() {
        Fixture fixture = new Fixture(Mode.TAG, Guard.OFF, Fixture.user("archiver", 11));
        FakeClient archiver = fixture.client("archiver");

        assertThat(archiver.run("SET autocommit=0")).isEqualTo("-");
        assertThat(archiver.run("SELECT * FROM orders")).isEqualTo("SET SESSION gtid_domain_id=11");
        assertThat(archiver.run("DELETE FROM orders")).isEqualTo("-");
    }

    @Test
    void aResetIsFollowed() {
        FakeClient app = tagging(Guard.OFF).client("app");

        app.run("ALTER TABLE big ADD c INT");
        app.resetConnection();
        assertThat(app.run("INSERT INTO orders VALUES (1)")).isEqualTo("-");
        assertThat(app.run("ALTER TABLE big ADD c INT")).isEqualTo(TO_10);
    }

    @Test
    void aClientThatSetsTheVariableIsNotSteeredUntilItResets() {
        Fixture fixture = tagging(Guard.PIN);
        FakeClient app = fixture.client("app");

        app.run("SET @@session.gtid_domain_id = 5");
        assertThat(app.run("ALTER TABLE big ADD c INT")).isEqualTo("-");
        assertThat(fixture.count("client", "ddl", "respected")).isEqualTo(1);
        assertThat(fixture.registry
                        .get("understudy.gtid.domain.client.sets")
                        .counter()
                        .count())
                .isEqualTo(1);
        app.resetConnection();
        fixture.dictionary.learned(fixture.dictionary.catalog(), fixture.dictionary.changes());
        fixture.caughtUp();
        assertThat(app.run("DELETE FROM archive")).isEqualTo("SET SESSION gtid_domain_id=11");
    }

    @Test
    void afterRepeatedRefusalsTheSessionIsNotSteered() {
        Fixture fixture = tagging(Guard.OFF);
        FakeClient app = fixture.client("app");
        app.refuseWith(1227);

        for (int i = 0; i < SessionDomain.MAX_REFUSALS; i++) {
            assertThat(app.run("ALTER TABLE big ADD c INT")).isEqualTo(TO_10);
        }
        assertThat(app.run("ALTER TABLE big ADD c INT")).isEqualTo("-");
        assertThat(fixture.count("10", "none", "refused_1227")).isEqualTo(3);
        assertThat(fixture.count("0", "ddl", "left_alone")).isEqualTo(1);
    }

    @Test
    void anAccountsPrivilegeIsProvenBeforeItsWritesAreTagged() {
        Fixture fixture = tagging(Guard.PIN);
        FakeClient fresh = fixture.client("other");

        assertThat(fresh.run("SELECT @@version")).isEqualTo(TO_0);
        assertThat(fresh.run("ALTER TABLE big ADD c INT")).isEqualTo(TO_10);
        assertThat(fixture.client("other").run("ALTER TABLE big ADD d INT")).isEqualTo(TO_10);

        FakeClient refused = fixture.client("weak");
        refused.refuseWith(1227);
        assertThat(refused.run("DELETE FROM archive")).isEqualTo(TO_0);
        assertThat(fixture.count("0", "archive", "unproven")).isEqualTo(1);
        assertThat(fixture.policy.ownership.ownersOf("shop.archive")).isEqualTo(1);
    }

    @Test
    void anAccountIsProbedOnceAtItsFirstLogin() {
        Fixture fixture = tagging(Guard.PIN);
        FakeClient first = fixture.client("other");

        assertThat(first.logIn()).isEqualTo(TO_0);
        assertThat(first.run("ALTER TABLE big ADD c INT")).isEqualTo(TO_10);
        assertThat(fixture.client("other").logIn()).isEqualTo("-");

        FakeClient weak = fixture.client("weak");
        weak.refuseWith(1227);
        assertThat(weak.logIn()).isEqualTo(TO_0);
        FakeClient again = fixture.client("weak");
        assertThat(again.logIn()).isEqualTo("-");
        assertThat(again.run("SELECT 1")).isEqualTo("-");
        assertThat(again.run("DELETE FROM archive")).isEqualTo(TO_0);
        assertThat(fixture.count("0", "archive", "unproven")).isEqualTo(1);
        assertThat(fixture.client("weak").logIn()).isEqualTo("-");
    }

    @Test
    void aLoginIsNotProbedIfNoDomainWouldBeSet() {
        for (Guard guard : List.of(Guard.WARN, Guard.OFF)) {
            assertThat(tagging(guard).client("other").logIn()).isEqualTo("-");
        }
        Fixture onlyOthers = new Fixture(Mode.TAG, Guard.PIN, Fixture.user("batch", 10));
        assertThat(onlyOthers.client("other").logIn()).isEqualTo("-");
        assertThat(onlyOthers.client("batch").logIn()).isEqualTo(TO_0);
        Fixture advising = new Fixture(Mode.ADVISE, Guard.PIN, Fixture.ddl(10));
        assertThat(advising.client("other").logIn()).isEqualTo("-");
    }

    @Test
    void writesFollowTheDomainThatOwnsTheirTable() {
        Fixture fixture = tagging(Guard.PIN);
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
    void aWriteInFlightOwnsItsTable() {
        Fixture fixture = tagging(Guard.PIN);
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
        Fixture fixture = tagging(Guard.PIN);
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
        Fixture fixture = tagging(Guard.PIN);
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
        Fixture fixture = tagging(Guard.PIN);
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
        Fixture fixture = tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        app.run("DELETE FROM archive");

        assertThat(app.run("DELETE archive, orders FROM archive JOIN orders")).isEqualTo("-");
        assertThat(fixture.client("app").run("DELETE FROM orders")).isEqualTo("SET SESSION gtid_domain_id=11");
        assertThat(fixture.conflicts).containsExactly("pinned shop.orders 11/11");
    }

    @Test
    void aStatementOverTablesOfTwoDomainsGoesToTheDefaultOneAndIsCounted() {
        Fixture fixture = tagging(Guard.PIN);
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
        Fixture fixture = tagging(Guard.PIN);
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
        Fixture fixture = tagging(Guard.PIN);
        fixture.policy = fixture.policy(Mode.TAG, Guard.PIN, null, Fixture.table("child", 10));
        fixture.caughtUp();
        FakeClient app = fixture.client("app");

        assertThat(app.run("INSERT INTO child VALUES (1)")).isEqualTo(TO_10);
        assertThat(app.run("INSERT INTO items VALUES (1)")).isEqualTo("-");
        assertThat(fixture.conflicts).containsExactly("pinned shop.child 10/10");
    }

    @Test
    void aWriteWithoutABoundaryIsCountedAndKeepsItsTable() {
        Fixture fixture = tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        app.run("DELETE FROM archive");
        FakeClient other = fixture.client("app");

        other.response(other.send("INSERT INTO archive VALUES (ROW_COUNT())", false));

        assertThat(fixture.conflicts).containsExactly("no_boundary shop.archive 0/11");
    }

    @Test
    void adviseSetsNothingAndCountsTheDomainsItWouldSet() {
        Fixture fixture = new Fixture(Mode.ADVISE, Guard.PIN, Fixture.ddl(10));
        fixture.caughtUp();
        FakeClient app = fixture.client("app");

        assertThat(app.run("ALTER TABLE big ADD c INT")).isEqualTo("-");
        assertThat(app.run("UPDATE big SET c = 1")).isEqualTo("-");
        assertThat(fixture.count("10", "ddl", "advised")).isEqualTo(1);
        assertThat(fixture.count("10", "none", "pinned")).isEqualTo(1);
        assertThat(fixture.policy.ownership.report.contested(10))
                .singleElement()
                .satisfies(table -> {
                    assertThat(table.table()).isEqualTo("shop.big");
                    assertThat(table.wanted()).isEqualTo(0b11);
                    assertThat(table.writesByIndex()).startsWith(0L, 2L);
                });
        fixture.caughtUp();
        app.run("UPDATE big SET c = 1");
        assertThat(fixture.policy.ownership.report.contested(10))
                .extracting(OwnershipReport.Contested::table)
                .containsExactly("shop.big");
    }

    @Test
    void aLostSessionOwnsItsTablesWhileItsServerThreadIsAlive() {
        Fixture fixture = tagging(Guard.PIN);
        FakeClient dba = fixture.client("app");
        dba.send("ALTER TABLE big ADD c INT", true);
        dba.observer().onClose("client gone");
        assertThat(fixture.orphans.threads()).containsExactly(77L);

        fixture.orphans.settle(Set.of(77L));
        fixture.caughtUp();
        assertThat(fixture.policy.ownership.ownersOf("shop.big")).isEqualTo(2);
        fixture.orphans.settle(Set.of());
        fixture.caughtUp();
        assertThat(fixture.policy.ownership.ownersOf("shop.big")).isZero();
        assertThat(fixture.policy.ownership.inFlight()).isZero();
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
        Fixture fixture = tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        app.refuseWith(1227);

        FakeExchange delete = app.send("DELETE FROM archive", true);

        assertThat(fixture.policy.ownership.ownersOf("shop.archive")).isEqualTo(1);
        app.response(delete);
        assertThat(fixture.accounts.isProven("app")).isFalse();
    }

    @Test
    void tablesThatAWriteReadsCountUnlessTheBinaryLogHasRows() {
        Fixture fixture = tagging(Guard.PIN);
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
    void aServerWithAnotherGlobalDomainIsSetToTheDefaultOne() {
        Fixture fixture = tagging(Guard.PIN);
        fixture.accounts.setFreshIndex(fixture.indexes.find(99));
        FakeClient fresh = fixture.client("other");

        assertThat(fresh.run("INSERT INTO orders VALUES (1)")).isEqualTo(TO_0);
        assertThat(fixture.policy.ownership.ownersOf("shop.orders")).isEqualTo(1);
        assertThat(fresh.run("INSERT INTO orders VALUES (1)")).isEqualTo("-");
    }

    @Test
    void temporaryTablesDoNotMakeTheDictionaryStale() {
        Fixture fixture = tagging(Guard.PIN);
        FakeClient app = fixture.client("app");

        app.run("CREATE TEMPORARY TABLE x (id INT)");
        app.run("TRUNCATE big");

        assertThat(fixture.dictionary.stale()).isFalse();
    }

    /** By the proxy when the plugin has thrown; what the session writes afterwards is not known. */
    @Test
    void aRetiredSessionIsSetBackAndKeepsTablesInTheDefaultDomain() {
        Fixture fixture = tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        app.run("DELETE FROM archive");

        InjectedStatement back = app.observer().onRetired();

        assertThat(back).isNotNull();
        assertThat(back.sql()).isEqualTo(TO_0);
        notFollowed(fixture, "0");
    }

    @Test
    void aSessionRelayedUnreadKeepsTablesInTheDefaultDomainUntilItEnds() {
        Fixture fixture = tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        app.run("DELETE FROM orders");

        app.observer().onClose("unread");

        notFollowed(fixture, "0");
    }

    @Test
    void aSessionRelayedUnreadInAnotherDomainIsCountedThere() {
        Fixture fixture = tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        app.run("DELETE FROM archive");
        app.observer().onClose("unread");
        fixture.caughtUp();

        assertThat(unfollowed(fixture, "11")).isEqualTo(1);
        FakeClient other = fixture.client("app");
        assertThat(other.run("ALTER TABLE big ADD c INT"))
                .as("domain 10 while domain 11 has writes that nobody knows")
                .isEqualTo("-");
    }

    private static double unfollowed(Fixture fixture, String domain) {
        return fixture.registry
                .get("understudy.gtid.domain.unfollowed.sessions")
                .tag("domain", domain)
                .counter()
                .count();
    }

    private static void notFollowed(Fixture fixture, String domain) {
        assertThat(unfollowed(fixture, domain)).isEqualTo(1);
        assertThat(fixture.orphans.threads()).containsExactly(77L);
        fixture.caughtUp();
        FakeClient other = fixture.client("app");
        assertThat(other.run("DELETE FROM archive")).isEqualTo("-");
        fixture.orphans.settle(Set.of(77L));
        fixture.caughtUp();
        assertThat(other.run("DELETE FROM archive")).isEqualTo("-");
        fixture.orphans.settle(Set.of());
        fixture.caughtUp();
        assertThat(other.run("DELETE FROM archive")).isEqualTo("SET SESSION gtid_domain_id=11");
    }
}
