package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugins.gtiddomain.steering.LeverObserver;

/**
 * The parts between start and stop.
 *
 * @param levers those of the rules, and advice as a view: always there
 * @param advice what held up the standbys: always there
 * @param domains the domains, if a rule has one
 */
record StartedPlugin(Steering levers, Advising advice, DomainAction domains) implements PluginState {
    static StartedPlugin with(PluginContext context, GtidDomainConfig config, Runnable noDomains) {
        Advising advice = new Advising(context, config);
        try {
            Steering levers = new Steering(context, config, advice::view);
            DomainAction domains = config.usesDomains()
                    ? new RunningDomains(context, config, advice.workload(), noDomains)
                    : DomainAction.NONE;
            return new StartedPlugin(levers, advice, domains);
        } catch (RuntimeException | Error e) {
            advice.stop(); // nobody else knows of it, and it may be subscribed to the binary log already
            throw e;
        }
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
        advice.reload(config);
    }

    @Override
    public void stop() {
        domains.stop();
        advice.stop();
    }
}
