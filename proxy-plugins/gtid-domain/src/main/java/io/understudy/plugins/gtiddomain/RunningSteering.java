package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.PluginRun;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugins.gtiddomain.steering.Lever;
import io.understudy.plugins.gtiddomain.steering.LeverObserver;
import io.understudy.plugins.gtiddomain.steering.Levers;
import io.understudy.plugins.gtiddomain.steering.SteeringMeters;
import io.understudy.plugins.gtiddomain.tagging.Mode;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The work of {@link GtidDomainPlugin} from its start to its stop: the levers, and the domains if a rule has one. */
final class RunningSteering implements PluginRun<GtidDomainConfig> {
    private static final Logger log = LoggerFactory.getLogger(RunningSteering.class);
    private static final String NO_DOMAINS = "the primary is a MySQL server, which has no GTID domains and whose"
            + " writesets need no tag; the plugin does nothing";

    private final PluginContext context;
    private final SteeringMeters meters;
    /** Null if no rule has a domain: neither guard nor dictionary is started, and no session is tagged. */
    private final @Nullable RunningDomains domains;

    /** What has been warned about: each is said once. */
    private final Set<String> said = ConcurrentHashMap.newKeySet();

    private volatile GtidDomainConfig config;
    private volatile Levers levers;

    RunningSteering(PluginContext context, GtidDomainConfig config) {
        this.context = context;
        this.config = config;
        meters = new SteeringMeters(context.meters());
        levers = levers(config);
        domains = config.usesDomains() ? new RunningDomains(context, config, this::sayNoDomains) : null;
    }

    private Levers levers(GtidDomainConfig wanted) {
        return new Levers(wanted.rules(), wanted.mode() == Mode.TAG, meters);
    }

    @Override
    public void start() {
        context.publish("steering", this::view);
        DataSource primary = context.primary().dataSource();
        if (primary != null && Arrays.stream(Lever.values()).anyMatch(levers::uses)) {
            context.executor().execute(() -> warnEarly(primary));
        }
        if (domains != null) {
            domains.start();
        }
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

    private Object view() {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("mode", config.mode().name().toLowerCase(Locale.ROOT));
        view.put("rules", levers.view());
        return view;
    }

    /** Asks the primary before the first session does, so that the warning comes with the start. */
    private void warnEarly(DataSource primary) {
        try (ServerQueries server = ServerQueries.of(primary)) {
            String version = server.text("SELECT VERSION()");
            warn(ServerFlavor.of(version), version);
        } catch (SQLException e) {
            log.debug("gtid-domain: the primary's version is not known yet: {}", e.getMessage());
        }
    }

    /** Warns once of each action that a server does not have. */
    private void warn(ServerFlavor flavor, String version) {
        for (Lever lever : Lever.values()) {
            String refusal = levers.uses(lever) ? lever.refusal(flavor, version) : "";
            if (!refusal.isEmpty() && said.add(refusal)) {
                log.warn(
                        "gtid-domain: '{}' has no effect on the primary: {}; statements run as without the rule",
                        lever.action(),
                        refusal);
            }
        }
    }

    private void sayNoDomains() {
        if (said.add(NO_DOMAINS)) {
            log.warn("gtid-domain: {}", NO_DOMAINS);
        }
    }

    @Override
    public SessionObserver openSession(SessionContext session) {
        warn(session.flavor(), session.serverVersion());
        if (session.flavor() == ServerFlavor.MYSQL) {
            sayNoDomains();
            return SessionObserver.NONE;
        }
        LeverObserver observer = new LeverObserver(session, () -> levers);
        return domains == null ? observer : domains.observe(session, observer);
    }

    @Override
    public void reload(GtidDomainConfig wanted) {
        if (domains != null) {
            domains.reload(wanted);
        } else if (!wanted.rules().isEmpty() && wanted.usesDomains()) {
            throw new IllegalArgumentException("rules: the first rule with 'domain' takes effect after a restart");
        }
        config = wanted;
        levers = levers(wanted);
    }

    @Override
    public void stop() {
        if (domains != null) {
            domains.stop();
        }
    }
}
