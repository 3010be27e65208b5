package example;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugin.SessionRefusal;
import io.understudy.rules.RuleSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** Limits the sessions of each tenant: refuses the login of one too many. */
public final class TenantLimitPlugin implements ProxyPlugin<TenantLimitConfig> {
    private static final int ER_USER_LIMIT_REACHED = 1226;

    /** A configuration in force. */
    private record Limits(String attribute, RuleSet<TenantLimitConfig.Rule> rules) {
        static Limits of(TenantLimitConfig config) {
            return new Limits(
                    config.attribute(),
                    new RuleSet<>(config.rules(), TenantLimitConfig.Rule::name, TenantLimitConfig.Rule::match));
        }
    }

    private final Map<String, Integer> sessions = new ConcurrentHashMap<>();
    private volatile Limits limits = Limits.of(new TenantLimitConfig(null, List.of()));

    @Override
    public String id() {
        return "tenant-limit";
    }

    @Override
    public Class<TenantLimitConfig> configType() {
        return TenantLimitConfig.class;
    }

    @Override
    public void start(PluginContext context, TenantLimitConfig config) {
        limits = Limits.of(config);
        context.publish("tenant-limit", () -> new TreeMap<>(sessions));
    }

    @Override
    public void reload(TenantLimitConfig config) {
        limits = Limits.of(config);
    }

    /** Called on the session's event loop, after the login and before the client is told of it: must not wait. */
    @Override
    public SessionObserver openSession(SessionContext session) {
        Limits now = limits;
        int index = now.rules().forSession(session).sessionIndex();
        if (index < 0) {
            return SessionObserver.NONE;
        }
        TenantLimitConfig.Rule rule = now.rules().rule(index);
        String tenant = now.attribute() == null
                ? session.user()
                : session.attributes().getOrDefault(now.attribute(), session.user());
        if (sessions.merge(tenant, 1, Integer::sum) > rule.sessions()) {
            session.refuse(new SessionRefusal(
                    id(),
                    rule.name(),
                    ER_USER_LIMIT_REACHED,
                    "42000",
                    "Tenant '" + tenant + "' has " + rule.sessions() + " sessions already; close some"));
        }
        return new SessionObserver() {
            /** Called for a refused login, too. A session that goes on without the plugin counts no more. */
            @Override
            public void onClose(String reason) {
                sessions.computeIfPresent(tenant, (key, count) -> count == 1 ? null : count - 1);
            }
        };
    }

    @Override
    public void stop() {
        sessions.clear();
    }
}
