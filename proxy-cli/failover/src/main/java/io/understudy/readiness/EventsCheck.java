package io.understudy.readiness;

import java.util.Map;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Scheduled events, which replication disables on a standby. */
final class EventsCheck {
    private static final String DISABLED = "disabled";
    private static final String STOP =
            "replication disables them on a standby: after the promotion nobody executes them";
    private static final int SHOWN = 10;
    private static final String ENABLED = "ENABLED";

    private EventsCheck() {}

    static void find(Findings found) {
        found.compare(ServerFacts.EVENTS, "scheduled events", STOP, (here, there) -> compare(here, there, found));
    }

    private static void compare(Map<String, String> here, Map<String, String> there, Findings found) {
        TreeSet<String> run = enabled(here);
        TreeSet<String> stop = enabled(there);
        stop.removeAll(run);
        if (!stop.isEmpty()) {
            found.warns(
                    DISABLED,
                    "the primary executes " + count(stop) + " that the standby would not: " + names(stop),
                    STOP,
                    "understudy switchover enables them; with other tools, after the promotion, for each: ALTER DEFINER"
                            + " = … EVENT … ENABLE");
        }
        if (!run.isEmpty()) {
            found.warns(
                    "enabled",
                    "the standby executes " + count(run) + ": " + names(run),
                    "what they write there is errant, and where the primary executes them too they run twice",
                    "on the standby, for each: SET SESSION sql_log_bin = 0; ALTER DEFINER = … EVENT … DISABLE ON"
                            + (found.standby().isMariaDb() ? " SLAVE" : " REPLICA"));
        }
        TreeSet<String> idle =
                in(there, state -> state.endsWith("SIDE_DISABLED")); // SLAVE, or REPLICA_ since MySQL 8.2
        idle.removeAll(run);
        if (!idle.isEmpty()) {
            found.warns(
                    "nobody",
                    "neither server executes " + count(idle) + " that the primary keeps as a standby does: "
                            + names(idle),
                    "a promotion by other tools, or a switchover that was killed, leaves them so",
                    "on the primary, for each: ALTER DEFINER = … EVENT … ENABLE");
        }
    }

    /** Returns whether a switchover mends it: it disables them on the old primary and enables them on the new one. */
    static boolean isMovedBySwitchover(Finding finding) {
        return finding.check().equals(Check.EVENTS.word()) && finding.subject().equals(DISABLED);
    }

    private static TreeSet<String> enabled(Map<String, String> events) {
        return in(events, ENABLED::equals);
    }

    private static TreeSet<String> in(Map<String, String> events, Predicate<String> state) {
        TreeSet<String> names = new TreeSet<>();
        events.forEach((name, value) -> {
            if (state.test(value)) {
                names.add(name);
            }
        });
        return names;
    }

    private static String count(TreeSet<String> names) {
        return names.size() == 1 ? "a scheduled event" : names.size() + " scheduled events";
    }

    private static String names(TreeSet<String> names) {
        return String.join(", ", names.stream().limit(SHOWN).toList()) + (names.size() > SHOWN ? ", …" : "");
    }
}
