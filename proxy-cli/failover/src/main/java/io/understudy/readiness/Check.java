package io.understudy.readiness;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The conditions for a promotion. They run no queries of their own. */
enum Check {
    REACHABLE(Readings.LAST, round -> true, StateChecks::reachable),
    REPLICATES(Readings.BOTH, Situation.Round::hasStandby, ReplicationChecks::replicates),
    LAG(Readings.LAST, round -> true, LagCheck::find),
    RECEIVED(Readings.LAST, Situation.Round::hasStandby, ReplicationChecks::received),
    ERRANT(Readings.ACROSS, Situation.Round::isOfOneProduct, ReplicationChecks::errant),
    SEMI_SYNC(Readings.BOTH, Situation.Round::hasBoth, ReplicationChecks::semiSync),
    READ_ONLY(Readings.LAST, Situation.Round::hasStandby, StateChecks::readOnly),
    COLD(Readings.LAST, round -> true, ProxyChecks::cold),
    VERIFY(Readings.LAST, round -> true, ProxyChecks::verify),
    MISSING(Readings.LAST, round -> true, ProxyChecks::missing),
    DISK(Readings.LAST, round -> true, StateChecks::disk),
    SETTINGS(Readings.BOTH, Situation.Round::hasStandby, SettingsCheck::find),
    ACCOUNTS(Readings.BOTH, Situation.Round::isOfOneProduct, AccountsCheck::find),
    DEFINITIONS(Readings.BOTH, Situation.Round::isOfOneProduct, DefinitionsCheck::find),
    EVENTS(Readings.BOTH, Situation.Round::hasBoth, EventsCheck::find),
    XA(Readings.BOTH, Situation.Round::hasStandby, StateChecks::xa),
    TRANSACTIONS(Readings.BOTH, Situation.Round::hasStandby, StateChecks::transactions),
    SCHEMA_CHANGE(Readings.BOTH, round -> true, StateChecks::schemaChange),
    /** Replaces the other checks if the server is a member of a cluster. */
    CLUSTER(Readings.LAST, round -> true, StateChecks::cluster);

    private enum Readings {
        LAST,
        /** A finding counts only if both readings have it: what replication was about to change passes. */
        BOTH,
        /** The primary is read after the standby, so that it has all that the standby got from it. */
        ACROSS
    }

    private final Readings readings;
    private final Predicate<Situation.Round> needs;
    private final Consumer<Findings> finds;

    /** @param needs without which it has nothing to say; another check says what is away */
    Check(Readings readings, Predicate<Situation.Round> needs, Consumer<Findings> finds) {
        this.readings = readings;
        this.needs = needs;
        this.finds = finds;
    }

    /** Returns the name of its findings. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    List<Finding> findings(Situation situation) {
        Situation.Round now = situation.now();
        if (readings == Readings.ACROSS) {
            return findings(new Situation.Round(situation.before().standby(), now.primary()), situation);
        }
        List<Finding> before = readings == Readings.BOTH ? findings(situation.before(), situation) : List.of();
        return findings(now, situation).stream()
                .filter(finding -> readings == Readings.LAST || before.stream().anyMatch(finding::isAbout))
                .toList();
    }

    /** Returns what one reading has. */
    List<Finding> findings(Situation.Round round, Situation situation) {
        Findings found = new Findings(word(), round, situation, new ArrayList<>());
        if (needs.test(round)) {
            finds.accept(found);
        }
        return found.all();
    }
}
