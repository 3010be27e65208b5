package io.understudy.readiness;

import io.understudy.readiness.ServerFacts.Fact;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Collects what one check finds in a reading. Not thread-safe.
 *
 * @param check its name
 * @param all what has been found
 */
record Findings(String check, Situation.Round round, Situation situation, List<Finding> all) {
    ServerFacts standby() {
        return round.standby();
    }

    ServerFacts primary() {
        return round.primary();
    }

    void blocks(String subject, String what, String why, String statement) {
        add(subject, Severity.BLOCKS, what, why, statement);
    }

    void warns(String subject, String what, String why, String statement) {
        add(subject, Severity.WARNS, what, why, statement);
    }

    /** Adds what blocks, or only warns. */
    void either(boolean blocks, String subject, String what, String why, String statement) {
        add(subject, blocks ? Severity.BLOCKS : Severity.WARNS, what, why, statement);
    }

    void unknown(String subject, String what, String why, String statement) {
        add(subject, Severity.UNKNOWN, what, why, statement);
    }

    /** Adds an unknown without which nobody can say whether the standby may be promoted. */
    void undecided(String subject, String what, String why, String statement) {
        all.add(new Finding(check, subject, Severity.UNKNOWN, true, what, why, statement));
    }

    /** Adds that a fact of one server could not be read, which leaves the verdict open. */
    void unread(String subject, String fact, boolean ofStandby, Known<?> unread, String why) {
        String what = "the " + fact + " of the " + (ofStandby ? "standby" : "primary") + " cannot be read: "
                + unread.reason();
        undecided(subject, what, why, unread.statement());
    }

    void add(String subject, Severity severity, String what, String why, String statement) {
        all.add(new Finding(check, subject, severity, severity == Severity.BLOCKS, what, why, statement));
    }

    /**
     * Compares a fact of both servers, if both have told it; otherwise that is the finding.
     *
     * @param name of the fact
     * @param why it matters at the promotion
     */
    <T> void compare(Fact<T> fact, String name, String why, BiConsumer<T, T> comparison) {
        T here = standby().get(fact).value();
        T there = primary().get(fact).value();
        if (here != null && there != null) {
            comparison.accept(here, there);
        } else {
            unread("privilege", name, here == null, (here == null ? standby() : primary()).get(fact), why);
        }
    }

    /** Keeps a number of them, the heaviest first, and returns the others. */
    List<Finding> keep(int most) {
        all.sort(Comparator.comparing(Finding::severity));
        List<Finding> rest = all.subList(Math.min(most, all.size()), all.size());
        List<Finding> beyond = List.copyOf(rest);
        rest.clear();
        return beyond;
    }
}
