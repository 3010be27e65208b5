package io.understudy.readiness;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Scheduled events, which replication disables on a standby. */
final class EventsCheck implements Check.OfRound {
    private static final String NAME = "events";
    private static final int SHOWN = 10;
    private static final String ENABLED = "ENABLED";

    @Override
    public List<Finding> findings(Situation.Round round, Situation situation) {
        if (!round.standby().responded() || !round.primary().responded()) {
            return List.of();
        }
        Map<String, String> here = round.standby().events().value();
        Map<String, String> there = round.primary().events().value();
        if (here == null || there == null) {
            Known<?> missing =
                    here == null ? round.standby().events() : round.primary().events();
            return List.of(Finding.unknown(
                    NAME,
                    "privilege",
                    "the scheduled events of the " + (here == null ? "standby" : "primary") + " cannot be read: "
                            + missing.reason(),
                    "replication disables them on a standby: after the promotion nobody executes them",
                    missing.statement()));
        }
        List<Finding> findings = new ArrayList<>();
        TreeSet<String> stop = enabled(there);
        stop.removeAll(enabled(here));
        if (!stop.isEmpty()) {
            findings.add(Finding.warns(
                    NAME,
                    "disabled",
                    "the primary executes " + count(stop) + " that the standby would not: " + names(stop),
                    "replication disables them on a standby: after the promotion nobody executes them",
                    "understudy switchover enables them; with other tools, after the promotion, for each: ALTER DEFINER"
                            + " = … EVENT … ENABLE"));
        }
        TreeSet<String> run = enabled(here);
        if (!run.isEmpty()) {
            findings.add(Finding.warns(
                    NAME,
                    "enabled",
                    "the standby executes " + count(run) + ": " + names(run),
                    "what they write there is errant, and where the primary executes them too they run twice",
                    "on the standby, for each: SET SESSION sql_log_bin = 0; ALTER DEFINER = … EVENT … DISABLE ON"
                            + " SLAVE"));
        }
        return findings;
    }

    private static TreeSet<String> enabled(Map<String, String> events) {
        TreeSet<String> names = new TreeSet<>(events.keySet());
        names.removeIf(name -> !ENABLED.equals(events.get(name)));
        return names;
    }

    private static String count(TreeSet<String> names) {
        return names.size() == 1 ? "a scheduled event" : names.size() + " scheduled events";
    }

    private static String names(TreeSet<String> names) {
        return String.join(", ", names.stream().limit(SHOWN).toList()) + (names.size() > SHOWN ? ", …" : "");
    }
}
