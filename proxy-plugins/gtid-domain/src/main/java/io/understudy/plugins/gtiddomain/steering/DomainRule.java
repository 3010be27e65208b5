package io.understudy.plugins.gtiddomain.steering;

import io.understudy.rules.Match;
import org.jspecify.annotations.Nullable;

/**
 * Assigns writes to one action or several: of the rules with the same action the first that matches wins.
 *
 * @param name name of the rule in metrics and the log
 * @param match its conditions; absent: every write
 * @param domain GTID domain, 0 to 4294967295, or null
 * @param alter how schema changes are logged, or null
 * @param parallel whether standbys may apply the transaction in parallel, or null
 */
public record DomainRule(
        String name,
        Match match,
        @Nullable Long domain,
        @Nullable Alter alter,
        @Nullable Parallel parallel) {

    /** Values of {@code alter}. */
    public enum Alter {
        /** The standby begins the schema change when the primary does, not when the primary has ended it. */
        TWO_PHASE
    }

    /** Values of {@code parallel}. */
    public enum Parallel {
        /** The standby does not apply the transaction in parallel with those before it. */
        SKIP
    }

    public static final long MAX_DOMAIN = 4_294_967_295L;

    public DomainRule {
        match = match == null ? Match.ANY : match;
        StringBuilder refusals = new StringBuilder();
        if (name == null || name.isBlank()) {
            refusals.append("name: required: what metrics and the log call the rule\n");
        }
        if (domain == null && alter == null && parallel == null) {
            refusals.append("expected an action: 'alter: two-phase', 'parallel: skip' or 'domain: N' such as"
                    + " 'domain: 10'\n");
        } else if (domain != null && (domain < 0 || domain > MAX_DOMAIN)) {
            refusals.append("domain: expected 0 to ")
                    .append(MAX_DOMAIN)
                    .append(" but found ")
                    .append(domain)
                    .append('\n');
        }
        if (refusals.length() > 0) {
            throw new IllegalArgumentException(refusals.toString().stripTrailing());
        }
    }

    /** Returns whether it has a lever among its actions. */
    public boolean has(Lever lever) {
        return (lever == Lever.TWO_PHASE ? alter : parallel) != null;
    }
}
