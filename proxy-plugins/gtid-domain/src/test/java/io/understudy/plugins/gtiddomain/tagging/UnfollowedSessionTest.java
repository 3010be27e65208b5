package io.understudy.plugins.gtiddomain.tagging;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.testkit.FakeClient;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Sessions whose writes can no longer be followed: lost, retired, or relayed unread. */
class UnfollowedSessionTest {
    @Test
    void aLostSessionOwnsItsTablesWhileItsServerThreadIsAlive() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
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

    /** By the proxy when the plugin has thrown; what the session writes afterwards is not known. */
    @Test
    void aRetiredSessionIsSetBackAndKeepsTablesInTheDefaultDomain() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        app.run("DELETE FROM archive");

        app.retire();

        assertThat(app.owes()).isTrue();
        notFollowed(fixture, "0");
    }

    @Test
    void aSessionRelayedUnreadKeepsTablesInTheDefaultDomainUntilItEnds() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        app.run("DELETE FROM orders");

        app.observer().onClose("unread");

        notFollowed(fixture, "0");
    }

    @Test
    void aSessionRelayedUnreadInAnotherDomainIsCountedThere() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
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

    @Test
    void aSessionWithLeversThatHasMovedIsFollowedOnItsNewThread() {
        Fixture fixture = Fixture.tagging(Guard.PIN);
        FakeClient app = fixture.client("app");
        assertThat(fixture.threads.contains(77)).isTrue();
        app.setServerThreadId(78);

        app.observer().onMoved();

        assertThat(fixture.threads.contains(78)).isTrue();
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
