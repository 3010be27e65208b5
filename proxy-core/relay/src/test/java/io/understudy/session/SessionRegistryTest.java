package io.understudy.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LeakCheck.class)
class SessionRegistryTest {
    private final SessionRegistry registry = new SessionRegistry(10);

    /** A drain visits the registered sessions once; a session registered later must be drained too. */
    @Test
    void aSessionRegisteredAfterTheDrainBeganIsDrained() {
        assertThat(registry.admit()).isEqualTo(SessionRegistry.Admission.ADMITTED);
        registry.refuseNew();
        assertThat(registry.all()).isEmpty();

        Scripted late = new Scripted(Memory.direct(), new Watcher(Watcher.ALL));
        registry.enter(late.session);
        assertThat(late.session.ended()).isTrue();
        assertThat(late.closed("drained")).isEqualTo(1);
        late.finish();
    }

    @Test
    void aSessionRegisteredWithoutADrainContinues() {
        assertThat(registry.admit()).isEqualTo(SessionRegistry.Admission.ADMITTED);
        Scripted session = new Scripted(Memory.direct(), new Watcher(Watcher.ALL));
        registry.enter(session.session);
        assertThat(session.session.ended()).isFalse();
        assertThat(registry.all()).containsExactly(session.session);
        session.finish();
    }
}
