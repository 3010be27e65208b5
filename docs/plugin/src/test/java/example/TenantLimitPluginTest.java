package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.understudy.plugin.SessionObserver;
import io.understudy.rules.Match;
import io.understudy.rules.NameGlob;
import io.understudy.testkit.FakeSession;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TenantLimitPluginTest {
    private final TenantLimitPlugin plugin = new TenantLimitPlugin();

    private static TenantLimitConfig.Rule rule(String users, int sessions) {
        Match match = new Match(List.of(NameGlob.parse(users)), null, null, null, null, null, null);
        return new TenantLimitConfig.Rule("few", match, sessions);
    }

    @Test
    void oneSessionTooManyIsRefused() {
        plugin.reload(new TenantLimitConfig(null, List.of(rule("batch*", 1))));
        FakeSession first = new FakeSession("batch1");
        FakeSession second = new FakeSession("batch1");
        FakeSession other = new FakeSession("app");
        SessionObserver open = plugin.openSession(first);
        plugin.openSession(second).onClose("refused_by_plugin");
        plugin.openSession(other);
        assertNull(other.refusal());
        assertNull(first.refusal());
        assertNotNull(second.refusal());
        assertEquals("few", second.refusal().reason());

        open.onClose("client_closed");
        FakeSession third = new FakeSession("batch1");
        plugin.openSession(third);
        assertNull(third.refusal());
    }

    /** COM_CHANGE_USER begins a session of another user in the same connection. */
    @Test
    void anotherUserOfAConnectionCountsLikeALogin() {
        plugin.reload(new TenantLimitConfig(null, List.of(rule("batch*", 1))));
        FakeSession changing = new FakeSession("app");
        SessionObserver changed = plugin.openSession(changing);
        changing.setUser("batch1");
        changed.onReset();
        changed.onReset();
        assertNull(changing.refusal());

        FakeSession second = new FakeSession("batch1");
        SessionObserver refused = plugin.openSession(second);
        assertNotNull(second.refusal());
        refused.onClose("refused_by_plugin");

        changing.setUser("app");
        changed.onReset();
        FakeSession third = new FakeSession("batch1");
        plugin.openSession(third);
        assertNull(third.refusal());
        changing.setUser("batch1");
        changed.onReset();
        assertNotNull(changing.refusal());
    }

    @Test
    void anAttributeNamesTheTenant() {
        plugin.reload(new TenantLimitConfig("tenant", List.of(rule("*", 1))));
        assertNull(ofTenant("a").refusal());
        assertNull(ofTenant("b").refusal());
        assertNotNull(ofTenant("a").refusal());
    }

    private FakeSession ofTenant(String tenant) {
        FakeSession session = new FakeSession("app");
        session.setAttributes(Map.of("tenant", tenant));
        plugin.openSession(session);
        return session;
    }

    @Test
    void aBadRuleIsAnError() {
        assertThrows(IllegalArgumentException.class, () -> rule("*", 0));
    }
}
