package io.understudy.readiness;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Scheduled events, which replication disables on a standby. */
final class EventsCheck implements Check.OfRound {
    private static final String NAME = "events";
    private static final Findings FOUND = new Findings(NAME);
    private static final String DISABLED = "disabled";
    private static final String STOP =
            "replication disables them on a standby: after the promotion nobody executes them";
    private static final int SHOWN = 10;
    private static final String ENABLED = "ENABLED";

    @Override
    public List<Finding> findings(Situation.Round round, Situation situation) {
        if (!round.standby().responded() || !round.primary().responded()) {
            return List.of();
        }
        Map<String, String> here = round.standby().get(ServerFacts.EVENTS).value();
        Map<String, String> there = round.primary().get(ServerFacts.EVENTS).value();
        if (here == null || there == null) {
            Known<?> missing = here == null
                    ? round.standby().get(ServerFacts.EVENTS)
                    : round.primary().get(ServerFacts.EVENTS);
            return List.of(FOUND.unread("privilege", "scheduled events", here == null, missing, STOP));
        }
        List<Finding> findings = new ArrayList<>();
        TreeSet<String> run = enabled(here);
        TreeSet<String> stop = enabled(there);
        stop.removeAll(run);
        if (!stop.isEmpty()) {
            findings.add(FOUND.warns(
                    DISABLED,
                    "the primary executes " + count(stop) + " that the standby would not: " + names(stop),
                    STOP,
                    "understudy switchover enables them; with other tools, after the promotion, for each: ALTER DEFINER"
                            + " = … EVENT … ENABLE"));
        }
        if (!run.isEmpty()) {
            findings.add(FOUND.warns(
                    "enabled",
                    "the standby executes " + count(run) + ": " + names(run),
                    "what they write there is errant, and where the primary executes them too they run twice",
                    "on the standby, for each: SET SESSION sql_log_bin = 0; ALTER DEFINER = … EVENT … DISABLE ON"
                            + (round.standby().isMariaDb() ? " SLAVE" : " REPLICA")));
        }
        TreeSet<String> idle =
                in(there, state -> state.endsWith("SIDE_DISABLED")); // SLAVE, or REPLICA_ since MySQL 8.2
        idle.removeAll(run);
        if (!idle.isEmpty()) {
            findings.add(FOUND.warns(
                    "nobody",
                    "neither server executes " + count(idle) + " that the primary keeps as a standby does: "
                            + names(idle),
                    "a promotion by other tools, or a switchover that was killed, leaves them so",
                    "on the primary, for each: ALTER DEFINER = … EVENT … ENABLE"));
        }
        return findings;
    }

    /** Returns whether a switchover mends it: it disables them on the old primary and enables them on the new one. */
    static boolean isMovedBySwitchover(Finding finding) {
        return finding.check().equals(NAME) && finding.subject().equals(DISABLED);
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
