package io.understudy.plugins.blackbox.kept;

import io.understudy.base.QueryFailures;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.Standby;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.PrimaryQueries;
import io.understudy.plugins.blackbox.history.Applied;
import io.understudy.plugins.blackbox.history.Reach;
import io.understudy.plugins.blackbox.reset.Receivers;
import io.understudy.plugins.blackbox.reset.Receivers.Receipt;
import io.understudy.servers.ReportedPosition;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Probes the standbys for their applied positions and lets the black box release accordingly. A standby that cannot be
 * queried keeps its last known position. One run at a time, off the event loops.
 */
public final class StandbyPositions implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(StandbyPositions.class);

    private final PluginContext context;
    private final BlackBox box;
    private final @Nullable PrimaryQueries primary;
    private final Runnable readAnew;
    private final Receivers receivers;

    private record Known(String server, Applied applied, Receipt receipt) {}

    /** By standby, as of its last response. */
    private final Map<String, Known> known = new HashMap<>();
    /** By standby. */
    private final Map<String, QueryFailures> failures = new HashMap<>();

    private volatile boolean renumbered;

    /**
     * @param primary null if the primary cannot be queried
     * @param readAnew called when the primary has begun anew, and the open stream brings nothing of it
     */
    public StandbyPositions(
            PluginContext context,
            BlackBox box,
            @Nullable PrimaryQueries primary,
            Receivers receivers,
            Runnable readAnew) {
        this.receivers = receivers;
        this.primary = primary;
        this.readAnew = readAnew;
        this.context = context;
        this.box = box;
    }

    /** Returns whether it is not known what a standby has, since a primary's numbers began anew. On any thread. */
    public boolean areRenumbered() {
        return renumbered;
    }

    @Override
    public void run() {
        try {
            List<PrimaryFacts> primaries = box.primaries();
            if (primaries.isEmpty()) {
                return; // An exception would end the schedule.
            }
            ServerFlavor flavor = primaries.get(primaries.size() - 1).flavor();
            if (box.streaming() && !context.primary().isUnreachable()) {
                receivers.responds(box::isRenumbered);
            }
            List<Applied> all = new ArrayList<>();
            Standby promoted = null;
            boolean complete = true;
            for (Standby standby : context.standbys()) {
                if (standby.isPrimary()) {
                    promoted = standby;
                    continue;
                }
                Known found = probe(standby, flavor);
                if (found != null) {
                    all.add(box.seen(found.server, found.applied, found.receipt));
                }
                complete &= found != null;
            }
            Known found = null;
            if (promoted != null) {
                found = context.primary().isUnreachable() ? known.get(promoted.name()) : probe(promoted, flavor);
            }
            if (complete && !all.isEmpty() && (promoted == null || found != null)) {
                box.applied(all, found == null ? null : box.meaning(found.server, found.applied));
            }
            box.expire();
            askPrimary(all);
            renumbered = context.standbys().stream()
                    .filter(each -> !each.isPrimary())
                    .map(each -> known.get(each.name()))
                    .anyMatch(each -> each != null && box.isRenumbered(each.server));
        } catch (RuntimeException e) {
            // Thrown on, it would end the schedule.
            log.error("black-box: comparing the standbys' positions failed", e);
        }
    }

    /** Last, because it waits for a primary that is frozen. */
    private void askPrimary(List<Applied> standbys) {
        Reach read = box.reach(standbys);
        if (read == null || primary == null || primary.isUnreachable()) {
            return;
        }
        try {
            if (box.beganAnew(read, primary.facts())) {
                readAnew.run();
            }
        } catch (SQLException e) {
            log.debug("black-box: the primary does not say whether its log has begun anew", e);
        }
    }

    private @Nullable Known probe(Standby standby, ServerFlavor flavor) {
        String name = standby.name();
        QueryFailures failed = failures.computeIfAbsent(
                name, added -> new QueryFailures(() -> !standby.state().reachable()));
        try (ServerQueries queries = ServerQueries.of(standby.dataSource())) {
            ReportedPosition reported = ReportedPosition.applied(queries, flavor);
            Applied applied = Applied.of(flavor, reported.replicated(), reported.logged());
            known.put(name, new Known(reported.server(), applied, receivers.ask(reported.server(), queries, flavor)));
            if (failed.succeeded()) {
                log.info("black-box: standby {} reports its position again", name);
            }
        } catch (SQLException | IllegalArgumentException e) {
            if (failed.failed()) {
                log.warn(
                        "black-box: standby {} cannot be queried for its applied position ({}); all that it may lack"
                                + " is kept, up to"
                                + " plugins.black-box.memory",
                        name,
                        e.getMessage());
            }
        }
        return known.get(name);
    }
}
