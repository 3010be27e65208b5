package io.understudy.host;

import io.understudy.plugin.ServerConnector;
import io.understudy.plugin.Standby;
import io.understudy.plugin.StandbyState;
import io.understudy.server.StandbyMonitor;
import javax.sql.DataSource;

/** A standby as plugins see it. */
public record HostedStandby(String name, DataSource dataSource, StandbyMonitor monitor, ServerConnector connector)
        implements Standby {
    @Override
    public StandbyState state() {
        return monitor.state();
    }

    @Override
    public boolean isPrimary() {
        return monitor.isPrimary();
    }
}
