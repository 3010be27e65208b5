package io.understudy.plugins.gtiddomain.tagging;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugins.gtiddomain.ownership.OwnershipReport;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.testkit.FakeClient;
import io.understudy.testkit.FakeExchange;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In which domain a session's statements run, and when the observer sets it. */
class DomainObserverTest {
    private static final String TO_10 = "SET SESSION gtid_domain_id=10";
    private static final String TO_0 = "SET SESSION gtid_domain_id=0";

    @Test
    void theDomainIsSetOnlyWhenItDiffersAndOnlyBeforeWrites() {
        FakeClient app = Fixture.tagging(Guard.OFF).client("app");

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
        FakeClient app = Fixture.tagging(Guard.PIN).client("app");

        assertThat(app.run("DELETE FROM archive")).isEqualTo("SET SESSION gtid_domain_id=11");
        assertThat(app.run(sql)).isEqualTo(TO_0);
    }

    @Test
    void setStatementIsSteeredLikeTheStatementItRuns() {
        FakeClient app = Fixture.tagging(Guard.PIN).client("app");

        assertThat(app.run("SET STATEMENT max_statement_time=5 FOR DELETE FROM archive"))
                .isEqualTo("SET SESSION gtid_domain_id=11");
        assertThat(app.run("SET STATEMENT max_statement_time=5 FOR DELETE FROM archive"))
                .isEqualTo("-");
    }

    @Test
    void severalStatementsInOneTextCountConflictsAndStayInTheDefaultDomain() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
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
        Fixture fixture = Fixture.tagging(Guard.PIN);
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
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient app = fixture.client("app");

        app.run("DELETE FROM archive");
        assertThat(app.run("EXECUTE s")).isEqualTo(TO_0);
        assertThat(fixture.conflicts).containsExactly("unknown_tables * 0/11");
    }

    @Test
    void aPipelinedStatementOfTheSameTablesGoesToTheSameDomain() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
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
        FakeClient app = Fixture.tagging(Guard.OFF).client("app");

        app.run("ALTER TABLE big ADD c INT");
        app.resetConnection();
        assertThat(app.run("INSERT INTO orders VALUES (1)")).isEqualTo("-");
        assertThat(app.run("ALTER TABLE big ADD c INT")).isEqualTo(TO_10);
    }

    @Test
    void aClientThatSetsTheVariableIsNotSteeredUntilItResets() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
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
    void aClientThatOnlyReadsTheVariableIsStillSteered() {
        Fixture fixture = new Fixture(Mode.TAG, Guard.OFF, Fixture.user("archiver", 11));
        FakeClient archiver = fixture.client("archiver");

        archiver.run("START TRANSACTION");
        archiver.run("EXECUTE IMMEDIATE 'SELECT @@gtid_domain_id'");
        archiver.run("COMMIT");
        assertThat(archiver.owes()).isTrue();
        archiver.run("EXECUTE IMMEDIATE 'SET gtid_domain_id = 5'");
        assertThat(archiver.injected()).isEqualTo(TO_0);
        assertThat(archiver.run("START TRANSACTION")).isEqualTo("-");
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
    void aServerWithAnotherGlobalDomainIsSetToTheDefaultOne() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        fixture.accounts.setFreshIndex(fixture.indexes.find(99));
        FakeClient fresh = fixture.client("other");

        assertThat(fresh.run("INSERT INTO orders VALUES (1)")).isEqualTo(TO_0);
        assertThat(fixture.policy.ownership.ownersOf("shop.orders")).isEqualTo(1);
        assertThat(fresh.run("INSERT INTO orders VALUES (1)")).isEqualTo("-");
    }

    /** As with the servers of two sites, which differ in their global gtid_domain_id. */
    @Test
    void aSessionOfANewPrimaryIsNotBelievedToBeInTheDomainOfTheOldOne() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        fixture.accounts.forgetFreshIndex();
        FakeClient early = fixture.client("app");
        FakeClient idle = fixture.client("app");
        assertThat(early.run("SELECT 1")).isEqualTo("-");
        assertThat(early.run("INSERT INTO orders VALUES (1)")).isEqualTo(TO_0);
        assertThat(early.run("INSERT INTO orders VALUES (1)")).isEqualTo("-");

        fixture.accounts.setFreshIndex(DomainIndexes.FOREIGN);
        assertThat(idle.run("BEGIN")).isEqualTo(TO_0);
        assertThat(early.run("INSERT INTO orders VALUES (1)")).isEqualTo("-");
        assertThat(fixture.client("app").run("INSERT INTO orders VALUES (1)")).isEqualTo(TO_0);
    }

    @Test
    void aReadingWithTheSameValueSettlesWhatWasUnknown() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient old = fixture.client("app");
        fixture.accounts.forgetFreshIndex();
        FakeClient fresh = fixture.client("app");
        fixture.accounts.forgetFreshIndex();
        fixture.accounts.setFreshIndex(DomainIndexes.DEFAULT);

        assertThat(old.run("INSERT INTO orders VALUES (1)")).isEqualTo("-");
        assertThat(fresh.run("INSERT INTO orders VALUES (1)")).isEqualTo("-");
    }

    /** The name or the address of the primary may lead to another server before anybody notices. */
    @Test
    void aSessionThatBeganBetweenTwoReadingsThatDifferMayBeInEitherDomain() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient between = fixture.client("app");
        fixture.accounts.setFreshIndex(DomainIndexes.FOREIGN);

        assertThat(between.run("INSERT INTO orders VALUES (1)")).isEqualTo(TO_0);
    }

    /** It may have a third server's domain, in which the standbys apply it at another time. */
    @Test
    void aWriteInADomainThatIsOnlyBelievedIsAnnouncedInAnyDomain() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        fixture.accounts.refused("weak");
        fixture.accounts.forgetFreshIndex();
        FakeClient single = fixture.client("weak");
        FakeClient transaction = fixture.client("weak");
        FakeClient pipelined = fixture.client("app");

        assertThat(single.run("INSERT INTO orders VALUES (1)")).isEqualTo("-");
        assertThat(transaction.run("BEGIN")).isEqualTo("-");
        assertThat(transaction.run("INSERT INTO items VALUES (1)")).isEqualTo("-");
        pipelined.response(pipelined.send("INSERT INTO archive VALUES (1)", false));
        assertThat(pipelined.injected()).isEqualTo("-");

        int any = 1 << DomainIndexes.FOREIGN;
        for (String table : List.of("shop.orders", "shop.items", "shop.archive")) {
            assertThat(fixture.policy.ownership.ownersOf(
                            fixture.dictionary.catalog().family(table)))
                    .as(table)
                    .isEqualTo(any);
        }
        fixture.accounts.setFreshIndex(DomainIndexes.DEFAULT);
        single.run("INSERT INTO big VALUES (1)");
        assertThat(fixture.policy.ownership.ownersOf("shop.big")).isEqualTo(1);
    }

    /** The server refuses the SET, so the write runs where the session was. */
    @Test
    void aWriteWhoseDomainIsRefusedBeforeTheServersValueIsReadIsInAnyDomain() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        fixture.accounts.forgetFreshIndex();
        FakeClient weak = fixture.client("weak");
        weak.refuseWith(1227);

        assertThat(weak.run("INSERT INTO orders VALUES (1)")).isEqualTo(TO_0);

        assertThat(fixture.policy.ownership.ownersOf("shop.orders")).isEqualTo(1 << DomainIndexes.FOREIGN);
    }

    /** In mode advise nothing is ever set, and the domains are only simulated. */
    @Test
    void adviceCountsNoConflictBecauseTheServersValueIsNotReadYet() {
        Fixture fixture = new Fixture(Mode.ADVISE, Guard.PIN, Fixture.ddl(10));
        fixture.accounts.forgetFreshIndex();
        FakeClient client = fixture.client("app");
        client.run("INSERT INTO orders VALUES (1)");
        client.run("BEGIN");
        client.run("INSERT INTO orders VALUES (1)");

        assertThat(fixture.conflicts).isEmpty();
    }
}
