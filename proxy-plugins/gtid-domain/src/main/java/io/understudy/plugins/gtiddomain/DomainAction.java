package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugins.gtiddomain.steering.LeverObserver;

/** The action {@code domain} between start and stop. */
interface DomainAction {
    /** No rule has a domain: neither guard nor dictionary is started, and no session is tagged. */
    DomainAction NONE = new DomainAction() {
        @Override
        public SessionObserver observe(SessionContext session, LeverObserver levers) {
            return levers;
        }

        @Override
        public void reload(GtidDomainConfig config) {
            if (config.usesDomains()) {
                throw new IllegalArgumentException("rules: the first rule with 'domain' takes effect after a restart");
            }
        }

        @Override
        public void stop() {}
    };

    /** Returns the observer of a session, which is not a MySQL server's, with its levers. */
    SessionObserver observe(SessionContext session, LeverObserver levers);

    /** Follows a reload, or throws and leaves all as it was. */
    void reload(GtidDomainConfig config);

    void stop();
}
