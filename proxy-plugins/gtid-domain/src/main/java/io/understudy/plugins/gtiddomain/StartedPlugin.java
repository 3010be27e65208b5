package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugins.gtiddomain.steering.LeverObserver;

/**
 * The parts between start and stop.
 *
 * @param levers those of the rules: always there
 * @param domains the domains, if a rule has one
 */
record StartedPlugin(Steering levers, DomainAction domains) implements PluginState {
    static StartedPlugin with(PluginContext context, GtidDomainConfig config, Runnable noDomains) {
        Steering levers = new Steering(context, config);
        DomainAction domains =
                config.usesDomains() ? new RunningDomains(context, config, noDomains) : DomainAction.NONE;
        return new StartedPlugin(levers, domains);
    }

    @Override
    public SessionObserver observe(SessionContext session) {
        levers.warn(session.flavor(), session.serverVersion());
        return session.flavor() == ServerFlavor.MYSQL
                ? SessionObserver.NONE
                : domains.observe(session, new LeverObserver(session, levers::levers));
    }

    @Override
    public void reload(GtidDomainConfig config) {
        domains.reload(config);
        levers.reload(config);
    }

    @Override
    public void stop() {
        domains.stop();
    }
}
