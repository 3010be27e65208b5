package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.gtiddomain.steering.Lever;
import io.understudy.plugins.gtiddomain.steering.LeverRule;
import io.understudy.plugins.gtiddomain.steering.Levers;
import io.understudy.plugins.gtiddomain.steering.SteeringMeters;
import io.understudy.plugins.gtiddomain.tagging.Mode;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rules' levers between start and stop, and the warnings about servers that do not have them. Thread-safe. */
final class Steering {
    private static final Logger log = LoggerFactory.getLogger(Steering.class);

    private final PluginContext context;
    private final SteeringMeters meters;
    private final Set<String> said = ConcurrentHashMap.newKeySet();
    private volatile GtidDomainConfig config;
    private volatile Levers levers;

    Steering(PluginContext context, GtidDomainConfig config) {
        meters = new SteeringMeters(context.meters());
        this.config = config;
        levers = levers(config);
        this.context = context;
    }

    void start() {
        context.publish("steering", this::view);
        DataSource primary = context.primary().dataSource();
        if (primary != null && uses()) {
            context.executor().execute(() -> warnEarly(primary));
        }
    }

    private Levers levers(GtidDomainConfig wanted) {
        Map<Lever, List<LeverRule>> rules = new EnumMap<>(Lever.class);
        for (Lever lever : Lever.values()) {
            rules.put(lever, wanted.leverRules(lever));
        }
        return new Levers(rules, wanted.mode() == Mode.TAG, meters);
    }

    Levers levers() {
        return levers;
    }

    void reload(GtidDomainConfig wanted) {
        config = wanted;
        levers = levers(wanted);
    }

    private boolean uses() {
        return levers.uses(Lever.TWO_PHASE) || levers.uses(Lever.SKIP_PARALLEL);
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

    /** Warns once of each action that a server does not have. Called for each session. */
    void warn(ServerFlavor flavor, String version) {
        Levers now = levers;
        for (Lever lever : Lever.values()) {
            if (now.uses(lever)) {
                String refusal = lever.refusal(flavor, version);
                if (!refusal.isEmpty() && said.add(refusal)) {
                    log.warn(
                            "gtid-domain: '{}' has no effect on the primary: {}; statements run as without the rule",
                            lever.action(),
                            refusal);
                }
            }
        }
    }
}
