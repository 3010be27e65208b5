package io.understudy.readiness;

import io.understudy.config.StandbyConfig;
import io.understudy.server.QueryPool;
import io.understudy.servers.Identity;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The identities of the other configured standbys, each read on a thread of its own: one that hangs or is away tells
 * nothing and delays nobody.
 */
final class OtherIds {
    private static final Logger LOG = LoggerFactory.getLogger(OtherIds.class);
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final Map<String, Identity> read = new ConcurrentHashMap<>();

    /** Starts to read the identities of all but one. */
    static OtherIds besides(StandbyConfig judged, List<StandbyConfig> standbys, ServerLink.Login login) {
        OtherIds ids = new OtherIds();
        for (StandbyConfig each : standbys) {
            if (!each.name().equals(judged.name())) {
                Thread thread = new Thread(() -> ids.read(each, login), "readiness-id-" + each.name());
                thread.setDaemon(true);
                thread.start();
            }
        }
        return ids;
    }

    private void read(StandbyConfig standby, ServerLink.Login login) {
        try (ServerQueries server =
                QueryPool.connect(standby.address(), standby.tls(), login.user(), login.password(), PATIENCE)) {
            read.put(standby.name(), Identity.of(server.within(PATIENCE)));
        } catch (SQLException | RuntimeException e) {
            LOG.debug("the server id of {} could not be read", standby.name(), e);
        }
    }

    /** Adds those with the server id of the standby, which are other servers. */
    void find(Findings found) {
        find(found, new LinkedHashMap<>(read));
    }

    static void find(Findings found, Map<String, Identity> others) {
        if (!found.standby().responded()) {
            return;
        }
        Identity own = found.standby().identity();
        others.forEach((name, other) -> {
            if (own.sharesIdWith(other)) {
                found.either(
                        found.standby().isMariaDb(),
                        "server_id " + name,
                        "it has the server_id " + own.serverId() + " of " + name,
                        own.harmOfSharedId(),
                        own.remedyOfSharedId());
            }
        });
    }
}
