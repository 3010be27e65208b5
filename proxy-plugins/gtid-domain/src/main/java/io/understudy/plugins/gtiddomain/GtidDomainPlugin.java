package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The plugin {@code gtid-domain}. */
public final class GtidDomainPlugin implements ProxyPlugin<GtidDomainConfig> {
    private static final Logger log = LoggerFactory.getLogger(GtidDomainPlugin.class);

    private final AtomicBoolean saidNoDomains = new AtomicBoolean();
    private PluginState state = PluginState.NOT_STARTED;

    @Override
    public String id() {
        return "gtid-domain";
    }

    @Override
    public Class<GtidDomainConfig> configType() {
        return GtidDomainConfig.class;
    }

    @Override
    public void start(PluginContext context, GtidDomainConfig config) {
        state = StartedPlugin.with(context, config, this::sayNoDomains);
        if (context.primary().flavor() == ServerFlavor.MYSQL) {
            sayNoDomains();
        } else {
            log.info(
                    "gtid-domain: mode {}, guard {}, {} rules",
                    config.mode(),
                    config.guard(),
                    config.rules().size());
        }
    }

    private void sayNoDomains() {
        if (saidNoDomains.compareAndSet(false, true)) {
            log.warn("gtid-domain: the primary is a MySQL server, which has no GTID domains and whose writesets need no"
                    + " tag; the plugin does nothing");
        }
    }

    @Override
    public void reload(GtidDomainConfig config) {
        state.reload(config);
    }

    @Override
    public SessionObserver openSession(SessionContext session) {
        SessionObserver observer = state.observe(session);
        if (session.flavor() == ServerFlavor.MYSQL) {
            sayNoDomains();
        }
        return observer;
    }

    @Override
    public void stop() {
        PluginState ended = state;
        // The instance is kept: the dictionary and the owners of its tables are not.
        state = PluginState.NOT_STARTED;
        ended.stop();
    }
}
