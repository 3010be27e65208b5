package io.understudy.plugins.gtiddomain.tagging;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.SessionVariable;
import io.understudy.testkit.FakeClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Accounts without the privilege to set the domain. */
class AccountPrivilegeTest {
    private static final String TO_10 = "SET SESSION gtid_domain_id=10";
    private static final String TO_0 = "SET SESSION gtid_domain_id=0";

    @Test
    void aProcedureReplacesThePrivilege() {
        Fixture fixture = Fixture.tagging(Guard.OFF);
        fixture.policy = fixture.policy(Mode.TAG, Guard.OFF, "tools.set_domain", Fixture.ddl(10));

        assertThat(fixture.client("app").run("ALTER TABLE big ADD c INT")).isEqualTo("CALL `tools`.`set_domain`(10)");
    }

    /** These refusals say nothing about the account; those that do are remembered for all its sessions. */
    @Test
    void afterRepeatedRefusalsTheSessionIsNotSteered() {
        Fixture fixture = Fixture.tagging(Guard.OFF);
        FakeClient app = fixture.client("app");
        app.refuseWith(1317);

        for (int i = 0; i < SessionVariable.MAX_REFUSALS; i++) {
            assertThat(app.run("ALTER TABLE big ADD c INT")).isEqualTo(TO_10);
        }
        assertThat(app.run("ALTER TABLE big ADD c INT")).isEqualTo("-");
        assertThat(fixture.count("10", "none", "refused_other")).isEqualTo(3);
        assertThat(fixture.count("0", "ddl", "left_alone")).isEqualTo(1);
    }

    /** Each refusal is an error on the primary, and an application may have a session for each write. */
    @ParameterizedTest
    @EnumSource(Guard.class)
    void ofARefusedAccountOneSessionAMinuteTriesAgain(Guard guard) {
        Fixture fixture = Fixture.tagging(guard);
        int tried = 0;
        for (int session = 0; session < 10; session++) {
            FakeClient weak = fixture.client("weak");
            weak.refuseWith(1227);
            tried += weak.run("DELETE FROM archive").equals("-") ? 0 : 1;
            tried += weak.run("DELETE FROM archive").equals("-") ? 0 : 1;
            weak.observer().onClose("client closed");
        }
        assertThat(tried).isEqualTo(1);
        assertThat(fixture.client("weak").run("BEGIN")).isEqualTo("-");

        fixture.now += Duration.ofSeconds(61).toNanos();
        FakeClient granted = fixture.client("weak");
        assertThat(granted.run("DELETE FROM archive")).isEqualTo(TO_0);
        fixture.caughtUp();
        assertThat(granted.run("ALTER TABLE big ADD c INT")).isEqualTo(TO_10);
    }

    @Test
    void anAccountsPrivilegeIsProvenBeforeItsWritesAreTagged() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
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

    /** Behind COM_CHANGE_USER it is the new account that must be proven. */
    @Test
    void theAccountOfAChangedUserIsProvenToo() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient client = fixture.client("app");
        assertThat(client.run("DELETE FROM archive")).isNotEqualTo(TO_0);
        fixture.caughtUp();
        client.setUser("weak");
        client.resetConnection();
        client.refuseWith(1227);
        assertThat(client.run("DELETE FROM archive")).isEqualTo(TO_0);
        assertThat(fixture.count("0", "archive", "unproven")).isEqualTo(1);
    }

    @Test
    void anAccountIsProbedOnceAtItsFirstLogin() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
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
        assertThat(again.run("DELETE FROM archive")).isEqualTo("-");
        assertThat(fixture.count("0", "archive", "unproven")).isEqualTo(1);
        assertThat(fixture.client("weak").logIn()).isEqualTo("-");
    }

    @Test
    void aLoginIsNotProbedIfNoDomainWouldBeSet() {
        for (Guard guard : List.of(Guard.WARN, Guard.OFF)) {
            assertThat(Fixture.tagging(guard).client("other").logIn()).isEqualTo("-");
        }
        assertThat(new Fixture(Mode.TAG, Guard.PIN).client("other").logIn()).isEqualTo("-");
        Fixture advising = new Fixture(Mode.ADVISE, Guard.PIN, Fixture.ddl(10));
        assertThat(advising.client("other").logIn()).isEqualTo("-");
    }

    /** Without the probe its first write would run in the default domain, whichever owns the table. */
    @Test
    void theFirstWriteOfAnAccountThatNoRuleMatchesGoesToTheTablesOwner() {
        Fixture fixture = new Fixture(Mode.TAG, Guard.PIN, Fixture.user("batch", 10));
        FakeClient batch = fixture.client("batch");
        batch.logIn();
        fixture.caughtUp();
        assertThat(batch.run("UPDATE orders SET n=1")).isEqualTo(TO_10);

        FakeClient other = fixture.client("other");
        assertThat(other.logIn()).isEqualTo(TO_0);
        assertThat(other.run("UPDATE orders SET n=2")).isEqualTo(TO_10);
        assertThat(fixture.conflicts).containsExactly("pinned shop.orders 10/10");
    }

    /** The server knows accounts by user and host, and roles by session. */
    @Test
    void ofAUserWithAndWithoutThePrivilegeEachSessionProvesItsOwn() {
        Fixture fixture = mixed();
        FakeClient granted = fixture.client("app");
        assertThat(granted.run("DELETE FROM archive")).isEqualTo("SET SESSION gtid_domain_id=11");
        fixture.caughtUp();
        FakeClient weak = fixture.client("app");
        weak.refuseWith(1227);
        weak.run("UPDATE big SET n=1");
        fixture.caughtUp();

        for (int i = 0; i < 3; i++) {
            FakeClient next = fixture.client("app");
            assertThat(next.logIn()).isEqualTo(TO_0);
            assertThat(next.run("DELETE FROM archive")).isEqualTo("SET SESSION gtid_domain_id=11");
            FakeClient refused = fixture.client("app");
            refused.refuseWith(1227);
            assertThat(refused.logIn()).isEqualTo(TO_0);
            assertThat(refused.run("INSERT INTO items VALUES (1)")).isNotEqualTo("SET SESSION gtid_domain_id=11");
            fixture.caughtUp();
        }
        assertThat(granted.run("SELECT 1")).isEqualTo(TO_0);
        assertThat(granted.run("DELETE FROM archive")).isEqualTo("SET SESSION gtid_domain_id=11");
        assertThat(fixture.conflicts).isEmpty();
    }

    private static Fixture mixed() {
        Fixture fixture = new Fixture(Mode.TAG, Guard.PIN, Fixture.table("archive", 11), Fixture.table("big", 10));
        fixture.accounts.proven("app");
        fixture.caughtUp();
        return fixture;
    }

    /** The write itself proves the privilege: in the owner's domain it is right if the server accepts it. */
    @Test
    void aFirstCommandThatWritesFollowsTheTablesOwner() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        assertThat(fixture.client("app").run("DELETE FROM archive")).isEqualTo("SET SESSION gtid_domain_id=11");
        FakeClient changed = fixture.client("app");
        changed.setUser("other");
        changed.resetConnection();
        assertThat(changed.run("UPDATE archive SET n=2")).isEqualTo("SET SESSION gtid_domain_id=11");
        assertThat(fixture.conflicts).containsExactly("pinned shop.archive 11/11");
    }

    /** What the user's other sessions were told says nothing of a session with another role. */
    @Test
    void aRoleThatIsSetChangesWhatIsKnownOfTheSession() {
        Fixture fixture = mixed();
        FakeClient app = fixture.client("app");
        app.run("DELETE FROM archive");
        app.run("SET ROLE NONE");
        app.refuseWith(1227);
        assertThat(app.run("SELECT 1")).isEqualTo(TO_0);
        assertThat(fixture.accounts.isProven("app")).isTrue();
        fixture.caughtUp();

        FakeClient weak = fixture.client("weak");
        weak.refuseWith(1227);
        weak.logIn();
        weak.refuseWith(0);
        weak.run("SET ROLE tagging");
        assertThat(weak.run("SELECT 1")).isEqualTo(TO_0);
        assertThat(weak.run("DELETE FROM archive")).isEqualTo("SET SESSION gtid_domain_id=11");
        assertThat(fixture.accounts.isRefused("weak")).isTrue();
        weak.resetConnection();
        assertThat(weak.run("SELECT 1"))
                .as("the reset may have changed the role")
                .isEqualTo(TO_0);

        FakeClient first = fixture.client("first");
        first.logIn();
        first.resetConnection();
        assertThat(first.run("SELECT 1")).as("as after its login").isEqualTo("-");
    }

    /** As with PHP or cron: a session for each write. */
    @Test
    void aTableThatARefusedAccountWritesInShortSessionsStaysInTheDefaultDomain() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient first = fixture.client("weak");
        first.refuseWith(1227);
        first.logIn();
        first.observer().onClose("client closed");
        FakeClient app = fixture.client("app");
        assertThat(app.run("DELETE FROM archive")).isEqualTo("SET SESSION gtid_domain_id=11");
        fixture.caughtUp();
        FakeClient next = fixture.client("weak");
        next.refuseWith(1227);
        next.run("DELETE FROM archive");
        next.observer().onClose("client closed");
        fixture.caughtUp();

        assertThat(app.run("DELETE FROM archive")).isEqualTo(TO_0);
    }

    /** The privilege is granted while the proxy runs. */
    @Test
    void aRefusalThatNoSessionMeetsAgainIsForgotten() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        fixture.accounts.proven("app");
        fixture.accounts.refused("app");
        fixture.accounts.refused("weak");
        fixture.now += 299_000_000_000L;
        fixture.accounts.refused("weak");
        assertThat(fixture.accounts.mayTry("app")).isTrue();
        assertThat(fixture.accounts.isProven("app")).isFalse();
        fixture.now += 1_000_000_000L;
        assertThat(fixture.accounts.isProven("app")).isTrue();
        assertThat(fixture.accounts.isRefused("weak")).isTrue();
        assertThat(fixture.accounts.anyRefused()).isTrue();
        fixture.now += 299_000_000_000L;
        assertThat(fixture.accounts.isUnknown("weak")).isTrue();
        assertThat(fixture.accounts.anyRefused()).isFalse();
    }

    @Test
    void aRefusalForAnotherReasonSaysNothingAboutTheAccount() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        app.refuseWith(1317);
        app.run("DELETE FROM archive");
        app.refuseWith(0);

        assertThat(fixture.accounts.isProven("app")).isTrue();
    }

    /** KILL QUERY may hit the injected statement: the write behind it then runs in the default domain. */
    @Test
    void aTableWhoseWriteARefusalHasMovedStaysInTheDefaultDomain() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        assertThat(fixture.client("app").run("DELETE FROM archive")).isEqualTo("SET SESSION gtid_domain_id=11");
        FakeClient killed = fixture.client("app");
        killed.refuseWith(1317);
        killed.run("DELETE FROM archive");
        assertThat(fixture.conflicts).containsExactly("refused shop.archive 0/11");
        fixture.caughtUp();

        assertThat(fixture.client("app").run("DELETE FROM archive")).isEqualTo("-");
    }
}
