package io.understudy.host;

import io.understudy.backend.StandbyMonitor;
import io.understudy.plugin.StandbyBackend;
import io.understudy.plugin.StandbyState;
import io.understudy.plugin.WireConnector;
import javax.sql.DataSource;

/** A standby as plugins see it. */
public record HostedStandby(String name, DataSource dataSource, StandbyMonitor monitor, WireConnector connector)
        implements StandbyBackend {
    @Override
    public StandbyState state() {
        return monitor.state();
    }
}
