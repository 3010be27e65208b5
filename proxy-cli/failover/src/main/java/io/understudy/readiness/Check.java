package io.understudy.readiness;

import java.util.List;

/** One condition for a promotion. Stateless; runs no queries of its own. */
interface Check {
    List<Finding> findings(Situation situation);

    /** A condition on one reading. */
    @FunctionalInterface
    interface OfRound {
        List<Finding> findings(Situation.Round round, Situation situation);
    }

    /**
     * Returns a check whose findings count only if both readings have them: what replication was about to change
     * passes.
     */
    static Check twice(OfRound check) {
        return situation -> {
            List<Finding> before = check.findings(situation.before(), situation);
            return check.findings(situation.now(), situation).stream()
                    .filter(finding -> before.stream().anyMatch(finding::isAbout))
                    .toList();
        };
    }
}
