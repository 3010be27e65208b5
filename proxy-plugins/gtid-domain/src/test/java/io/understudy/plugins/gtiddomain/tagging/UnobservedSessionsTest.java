package io.understudy.plugins.gtiddomain.tagging;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.base.RepeatedWarning;
import io.understudy.plugin.Interest;
import io.understudy.plugin.SessionObserver;
import io.understudy.testkit.FakeClient;
import io.understudy.testkit.FakeSession;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Sessions that no rule wanted anything of when they began. */
class UnobservedSessionsTest {
    private final Fixture fixture = Fixture.tagging(Guard.PIN);
    private final UnobservedSessions sessions = new UnobservedSessions(
            () -> fixture.policy,
            new SharedTagging(
                    fixture.accounts,
                    fixture.meters,
                    fixture.dictionary,
                    fixture.orphans,
                    fixture.threads,
                    new RepeatedWarning(System::nanoTime)));

    private SessionObserver begin() {
        return Objects.requireNonNull(sessions.begin(new FakeSession("app"), () -> true));
    }

    @Test
    void noneOfItsCommandsIsObserved() {
        assertThat(begin().interests()).isEqualTo(Interest.NONE);
    }

    @Test
    void itCountsUntilItHasEnded() {
        SessionObserver first = begin();
        SessionObserver second = begin();
        assertThat(sessions.open()).isEqualTo(2);
        first.onClose("client closed");
        second.onClose("removed");
        assertThat(sessions.open()).isZero();
    }

    @Test
    void oneThatIsObservedDoesNotCount() {
        assertThat(sessions.begin(new FakeSession("app"), () -> false)).isNull();
        assertThat(sessions.open()).isZero();
    }

    /** The configuration is read while the session counts, so a reload that comes behind the read finds it. */
    @Test
    void aReloadBetweenTheReadAndTheReturnFindsIt() {
        AtomicInteger found = new AtomicInteger();
        sessions.begin(new FakeSession("app"), () -> {
            boolean needless = true;
            found.set(sessions.open());
            return needless;
        });
        assertThat(found).hasValue(1);
    }

    /** One that comes before the read changes what is read. */
    @Test
    void aReloadBetweenTheCountAndTheReadHasItObserved() {
        AtomicBoolean needless = new AtomicBoolean(true);
        SessionObserver observer = sessions.begin(new FakeSession("app"), () -> {
            needless.set(false);
            return needless.get();
        });
        assertThat(observer).isNull();
        assertThat(sessions.open()).isZero();
    }

    /** It goes on and nobody knows what it writes, so that its end is that of the server's thread. */
    @Test
    void oneRelayedUnreadKeepsTablesInTheDefaultDomainUntilItsServerThreadEnds() {
        begin().onClose("unread");

        assertThat(sessions.open()).isZero();
        fixture.caughtUp();
        FakeClient other = fixture.client("app");
        assertThat(other.run("DELETE FROM archive")).isEqualTo("-");
        fixture.orphans.threads();
        fixture.orphans.settle(Set.of());
        fixture.caughtUp();
        assertThat(other.run("DELETE FROM archive")).isEqualTo("SET SESSION gtid_domain_id=11");
    }
}
