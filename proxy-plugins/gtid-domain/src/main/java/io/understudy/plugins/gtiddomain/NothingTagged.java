package io.understudy.plugins.gtiddomain;

import io.understudy.plugins.gtiddomain.tagging.WriteOutcome;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Says why no statement is tagged though rules ask for it. */
final class NothingTagged {
    private NothingTagged() {}

    /**
     * Returns the reason, or null while statements are tagged, or none are meant to be.
     *
     * @param wanted whether the configuration has mode tag and a rule with a domain
     * @param tagging whether sessions are tagged now
     * @param matched statements that matched a rule
     * @param outcomes of the writes among them in the last minutes
     * @param refused whether the server has refused the domain to some account in the last minutes
     * @param problem why no table can be handed over at present; empty for none
     * @param learning whether it is not known yet what is written together
     */
    static @Nullable String why(
            boolean wanted,
            boolean tagging,
            long matched,
            Map<WriteOutcome, Long> outcomes,
            boolean refused,
            String problem,
            boolean learning) {
        if (!wanted || count(outcomes, WriteOutcome.TAGGED) > 0 || count(outcomes, WriteOutcome.PINNED) > 0) {
            return null;
        }
        if (!tagging) {
            return "sessions that began before the plugin are not observed: domains are set when the last has ended";
        }
        if (matched == 0) {
            return "no statement has matched a rule with a domain";
        }
        if (!problem.isEmpty()) {
            return problem;
        }
        if (learning) {
            return "what is written together is still being learned (plugins.gtid-domain.learn)";
        }
        // If the account lacks the privilege, each write of a short session is its first one.
        long alone = count(outcomes, WriteOutcome.LEFT_ALONE) + (refused ? count(outcomes, WriteOutcome.UNPROVEN) : 0);
        long respected = count(outcomes, WriteOutcome.RESPECTED);
        long kept = count(outcomes, WriteOutcome.KEPT_DEFAULT);
        if (alone > 0 && alone >= respected && alone >= kept) {
            return "the server refuses to set the domain: GRANT BINLOG REPLAY ON *.* to the applications' accounts";
        }
        if (respected > 0 && respected >= kept) {
            return "the clients set gtid_domain_id themselves";
        }
        if (kept > 0) {
            return "the tables must stay in the default domain, or are not known: see guardState and"
                    + " tablesWrittenFromTwoDomains; those that an account without BINLOG REPLAY has written stay until"
                    + " the proxy restarts";
        }
        return "the statements that matched write nothing, or their account's privilege was being found out";
    }

    private static long count(Map<WriteOutcome, Long> outcomes, WriteOutcome outcome) {
        return outcomes.getOrDefault(outcome, 0L);
    }
}
