package io.understudy.plugins.blackbox.kept;

import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.blackbox.history.Survivor;
import io.understudy.plugins.blackbox.reset.BuiltAnew;
import io.understudy.servers.GtidNumbers;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes an operator's word that a server's tables were compared, or that it was built anew. Guarded by the lock of its
 * {@link BlackBox}.
 */
final class OperatorComparison {
    private static final Logger log = LoggerFactory.getLogger(OperatorComparison.class);

    private final BlackBox box;
    private final BuiltAnew builtAnew;
    private final Doubts doubts;
    private final FormerPrimaries former;

    OperatorComparison(BlackBox box, BuiltAnew builtAnew, Doubts doubts, FormerPrimaries former) {
        this.box = box;
        this.builtAnew = builtAnew;
        this.doubts = doubts;
        this.former = former;
    }

    /**
     * Called for the primary: those before it are meant.
     *
     * @param forgotten how many transactions are forgotten
     * @param look whether nothing is to change
     * @return whether anything of them was not known
     */
    boolean ofFormer(String name, long forgotten, boolean look) {
        Set<String> unknown = box.formerUnknown();
        if (!unknown.isEmpty() && !look) {
            former.clear(forgotten);
            log.warn(
                    "black-box: of the primaries before {} nothing is missing: an operator says so. It was not known:"
                            + " {}",
                    name,
                    unknown);
        }
        return !unknown.isEmpty();
    }

    /**
     * Called for a standby.
     *
     * @param now what the primary says after it was asked; null if that does not respond
     * @param look whether nothing is to change
     * @return whether the log is to have what has changed
     * @throws IllegalArgumentException if that cannot be; nothing has changed then
     */
    boolean of(Survivor reported, @Nullable PrimaryFacts now, boolean look) {
        String server = reported.server();
        boolean seen = builtAnew.isSeenBefore(server);
        GtidNumbers lacked = builtAnew.lacking(server);
        lacked.addAll(box.loss(reported).implied);
        boolean anew;
        try {
            anew = builtAnew.compared(server, reported.applied(), now, look);
        } catch (IllegalArgumentException e) {
            String at = reported.position().isEmpty() ? "no position" : reported.position();
            throw new IllegalArgumentException(reported.name() + " is at " + at + ": " + e.getMessage(), e);
        }
        if (look) {
            return false;
        }
        Survivor survivor = reported.applying(box.meaning(server, reported.applied()));
        GtidNumbers implied = box.loss(reported).implied;
        doubts.compared(server, survivor.applied());
        if (anew) {
            if (builtAnew.isReset(reported.applied())) {
                addLacked(survivor.name(), seen, lacked);
            }
            log.warn(
                    "black-box: {}, at {}, has what its numbers count now since the primary's began anew: an operator"
                            + " says so",
                    survivor.name(),
                    survivor.position());
        }
        log.warn(
                "black-box: {} transactions that the position of {} alone implies ({}) count as applied there from now"
                        + " on: an operator says that its tables were compared, or that it was built anew",
                implied.count(),
                survivor.name(),
                implied);
        return anew;
    }

    private void addLacked(String name, boolean seen, GtidNumbers lacked) {
        if (!seen) {
            former.add("what " + name + " lacked of what was written before the primary's numbers began anew"
                    + " (RESET MASTER): its position was not seen then, as this proxy began later");
        }
        if (!lacked.isEmpty()) {
            former.add(lacked.count() + " transactions that " + name + " lacked of what was written before the"
                    + " primary's numbers began anew (RESET MASTER), and that this black box does not have: " + lacked);
        }
    }
}
