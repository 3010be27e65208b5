package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.understudy.plugin.SessionObserver;
import io.understudy.testkit.FakeExchange;
import io.understudy.testkit.FakeSession;
import java.util.List;
import org.junit.jupiter.api.Test;

class RefusedDigestsPluginTest {
    private final RefusedDigestsPlugin plugin = new RefusedDigestsPlugin();
    private final FakeSession session = new FakeSession("app");
    private final SessionObserver observer = plugin.openSession(session);

    @Test
    void aListedDigestIsRefusedWhateverItsLiterals() {
        String digest = FakeExchange.summarize("SELECT * FROM huge WHERE id > 1").digestHex();
        plugin.reload(new RefusedDigestsConfig(List.of(digest)));
        observer.beforeCommand(FakeExchange.to("SELECT * FROM huge WHERE id = 1"));
        assertNull(session.refusal());
        observer.beforeCommand(FakeExchange.to("select * from huge where id > 1000"));
        assertNotNull(session.refusal());
        assertEquals("digest", session.refusal().reason());
    }

    @Test
    void badDigestsAndAnEmptyListAreSaid() {
        assertThrows(IllegalArgumentException.class, () -> new RefusedDigestsConfig(List.of("x")));
        assertEquals(1, new RefusedDigestsConfig(null).warnings().size());
    }
}
