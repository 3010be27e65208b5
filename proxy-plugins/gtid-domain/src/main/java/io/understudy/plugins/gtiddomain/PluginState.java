package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;

/** The plugin's present work: nothing before its start, and afterwards what the configuration wants. */
interface PluginState {
    PluginState NOT_STARTED = new PluginState() {
        @Override
        public SessionObserver observe(SessionContext session) {
            throw new IllegalStateException("gtid-domain is used before it was started");
        }

        @Override
        public void reload(GtidDomainConfig config) {
            throw new IllegalStateException("gtid-domain is reloaded before it was started");
        }

        @Override
        public void stop() {}
    };

    /** Returns the observer of a session; none with a MySQL server. */
    SessionObserver observe(SessionContext session);

    void reload(GtidDomainConfig config);

    void stop();
}
