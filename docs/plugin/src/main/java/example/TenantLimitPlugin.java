package example;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugin.SessionRefusal;
import io.understudy.rules.RuleSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
        Counted counted = new Counted(session);
        counted.onReset();
        return counted;
    }

    /** A session and the tenant for which it counts. */
    private final class Counted implements SessionObserver {
        private final SessionContext session;
        private String tenant;

        Counted(SessionContext session) {
            this.session = session;
        }

        /** Called after COM_CHANGE_USER, too, by which a session may become another tenant's. */
        @Override
        public void onReset() {
            Limits now = limits;
            int index = now.rules().forSession(session).sessionIndex();
            String next = index < 0 ? null : tenant(now);
            if (Objects.equals(next, tenant)) {
                return;
            }
            onClose("changed");
            tenant = next;
            if (next == null) {
                return;
            }
            TenantLimitConfig.Rule rule = now.rules().rule(index);
            if (sessions.merge(next, 1, Integer::sum) > rule.sessions()) {
                session.refuse(new SessionRefusal(
                        id(),
                        rule.name(),
                        ER_USER_LIMIT_REACHED,
                        "42000",
                        "Tenant '" + next + "' has " + rule.sessions() + " sessions already; close some"));
            }
        }

        private String tenant(Limits now) {
            return now.attribute() == null
                    ? session.user()
                    : session.attributes().getOrDefault(now.attribute(), session.user());
        }

        /** Called for a refused login, too. A session that goes on without the plugin counts no more. */
        @Override
        public void onClose(String reason) {
            if (tenant != null) {
                sessions.computeIfPresent(tenant, (key, count) -> count == 1 ? null : count - 1);
            }
        }
    }

    @Override
    public void stop() {
        sessions.clear();
    }
}
