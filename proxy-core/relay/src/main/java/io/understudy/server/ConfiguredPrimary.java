package io.understudy.server;

import io.understudy.config.Address;
import io.understudy.config.MonitorConfig;
import io.understudy.config.PrimaryConfig;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the primary by the configuration alone, for when no proxy runs that knows it. */
public final class ConfiguredPrimary {
    private static final Duration CONNECT = Duration.ofSeconds(1);

    private ConfiguredPrimary() {}

    /**
     * Returns {@code primary.address}; of candidates, the one that is writable and not the standby itself. If none of
     * them is writable, the first other than the standby. Waits for the candidates, a second each at most.
     *
     * @param standby that is not the primary, or null
     */
    public static Address of(PrimaryConfig primary, @Nullable Address standby) {
        List<Address> others = primary.candidates().stream()
                .filter(candidate -> !candidate.equals(standby))
                .toList();
        MonitorConfig account = primary.monitor();
        if (others.isEmpty() || account == null) {
            return primary.address();
        }
        return others.size() == 1
                ? others.get(0)
                : others.stream()
                        .filter(candidate -> isWritable(candidate, primary, account))
                        .findFirst()
                        .orElse(others.get(0));
    }

    private static boolean isWritable(Address candidate, PrimaryConfig primary, MonitorConfig account) {
        try (ServerQueries server =
                QueryPool.connect(candidate, primary.tls(), account.user(), account.password(), CONNECT)) {
            return !server.isReadOnly();
        } catch (SQLException e) {
            return false;
        }
    }
}
