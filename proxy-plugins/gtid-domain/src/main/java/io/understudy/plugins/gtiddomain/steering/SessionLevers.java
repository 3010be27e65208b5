package io.understudy.plugins.gtiddomain.steering;

import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The levers of one session: those that are on, and those that are the client's. Sets of levers are bit sets of
 * {@link Lever#bit}. Used on the session's event loop.
 */
final class SessionLevers {
    /** Refusals after which a lever is no longer turned on. */
    private static final int MAX_REFUSALS = 3;

    private static final Lever[] LEVERS = Lever.values();
    private static final int SETS = 1 << LEVERS.length;
    /** The statements by the levers that they change, and those that they turn on. */
    private static final @Nullable InjectedStatement[] STATEMENTS = new InjectedStatement[SETS * SETS];

    static {
        for (int changed = 1; changed < SETS; changed++) {
            for (int values = 0; values < SETS; values++) {
                STATEMENTS[changed * SETS + values] =
                        new InjectedStatement(sql(changed, values), LeverObserver.PURPOSE);
            }
        }
    }

    /** A SET in flight. */
    private record Change(int changed, int values) {
        int after(int before) {
            return before & ~changed | values & changed;
        }
    }

    private final SteeringMeters meters;
    private final ArrayDeque<Change> pending = new ArrayDeque<>(2);
    private final int[] refusals = new int[LEVERS.length];
    /** On once every SET in flight has succeeded. */
    private int on;
    /** On according to the server's responses. */
    private int confirmed;

    private int clients;

    SessionLevers(SteeringMeters meters) {
        this.meters = meters;
    }

    private static String sql(int changed, int values) {
        List<String> assignments = new ArrayList<>();
        for (Lever lever : LEVERS) {
            if ((changed & lever.bit()) != 0) {
                assignments.add(lever.assignment((values & lever.bit()) != 0));
            }
        }
        return "SET " + String.join(",", assignments);
    }

    int on() {
        return on;
    }

    boolean clientSets(Lever lever) {
        return (clients & lever.bit()) != 0;
    }

    private boolean leftAlone(Lever lever) {
        return refusals[lever.ordinal()] >= MAX_REFUSALS;
    }

    /** Returns the one statement after which exactly the wanted levers are on, as far as allowed; null if they are. */
    @Nullable
    InjectedStatement change(int wanted) {
        int allowed = wanted & ~clients;
        for (Lever lever : LEVERS) {
            if (leftAlone(lever)) {
                allowed &= ~lever.bit();
            }
        }
        int changed = on ^ allowed;
        if (changed == 0) {
            return null;
        }
        on = allowed;
        pending.add(new Change(changed, allowed));
        return STATEMENTS[changed * SETS + allowed];
    }

    /** Called with the response to the oldest SET in flight. */
    void onInjected(InjectionResult result) {
        Change change = pending.poll();
        if (change == null) {
            return;
        }
        if (result.ok()) {
            confirmed = change.after(confirmed) & ~clients;
            return;
        }
        for (Lever lever : LEVERS) {
            if ((change.changed & change.values & lever.bit()) != 0) {
                refusals[lever.ordinal()]++;
                meters.refused(lever, result.errorCode());
            }
        }
        settle();
    }

    /** Called when a client's statement names variables: they are the client's from now on. */
    void clientSets(int levers) {
        if ((levers & ~clients) != 0) {
            meters.clientSets();
        }
        clients |= levers;
        confirmed &= ~levers;
        on &= ~levers;
    }

    /** Called when the session's variables have been reset to those after a login. */
    void reset() {
        confirmed = 0;
        clients = 0;
        java.util.Arrays.fill(refusals, 0);
        settle();
    }

    private void settle() {
        int after = confirmed;
        for (Change change : pending) {
            after = change.after(after);
        }
        on = after & ~clients;
    }
}
