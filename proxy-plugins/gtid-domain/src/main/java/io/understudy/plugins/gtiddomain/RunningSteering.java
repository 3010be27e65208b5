package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.PluginRun;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugins.gtiddomain.steering.LeverObserver;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The work of {@link GtidDomainPlugin} from its start to its stop: the levers, and the domains if a rule has one. */
final class RunningSteering implements PluginRun<GtidDomainConfig> {
    private static final Logger log = LoggerFactory.getLogger(RunningSteering.class);

    private final PluginContext context;
    private final GtidDomainConfig first;
    private final Steering levers;
    /** Null if no rule has a domain: neither guard nor dictionary is started, and no session is tagged. */
    private final @Nullable RunningDomains domains;

    private final AtomicBoolean saidNoDomains = new AtomicBoolean();

    RunningSteering(PluginContext context, GtidDomainConfig config) {
        this.context = context;
        first = config;
        levers = new Steering(context, config);
        domains = config.usesDomains() ? new RunningDomains(context, config, this::sayNoDomains) : null;
    }

    @Override
    public void start() {
        levers.start();
        if (domains != null) {
            domains.start();
        }
        if (context.primary().flavor() == ServerFlavor.MYSQL) {
            sayNoDomains();
        } else {
            log.info(
                    "gtid-domain: mode {}, guard {}, {} rules",
                    first.mode(),
                    first.guard(),
                    first.rules().size());
        }
    }

    private void sayNoDomains() {
        if (saidNoDomains.compareAndSet(false, true)) {
            log.warn("gtid-domain: the primary is a MySQL server, which has no GTID domains and whose writesets need no"
                    + " tag; the plugin does nothing");
        }
    }

    @Override
    public SessionObserver openSession(SessionContext session) {
        levers.warn(session.flavor(), session.serverVersion());
        if (session.flavor() == ServerFlavor.MYSQL) {
            sayNoDomains();
            return SessionObserver.NONE;
        }
        LeverObserver observer = new LeverObserver(session, levers::levers);
        return domains == null ? observer : domains.observe(session, observer);
    }

    @Override
    public void reload(GtidDomainConfig config) {
        if (domains != null) {
            domains.reload(config);
        } else if (!config.rules().isEmpty() && config.usesDomains()) {
            throw new IllegalArgumentException("rules: the first rule with 'domain' takes effect after a restart");
        }
        levers.reload(config);
    }

    @Override
    public void stop() {
        if (domains != null) {
            domains.stop();
        }
    }
}
