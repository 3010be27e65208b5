package io.understudy.plugins.gtiddomain;

import io.understudy.rules.Match;

/**
 * Assigns writes to a domain.
 *
 * @param name name of the rule in metrics and the log
 * @param match its conditions; absent: every write
 * @param domain GTID domain, 0 to 4294967295
 */
public record DomainRule(String name, Match match, Long domain) {

    static final long MAX_DOMAIN = 4_294_967_295L;

    public DomainRule {
        match = match == null ? Match.ANY : match;
        StringBuilder refusals = new StringBuilder();
        if (name == null || name.isBlank()) {
            refusals.append("name: required: what metrics and the log call the rule\n");
        }
        if (domain == null) {
            refusals.append("domain: required: the GTID domain of these writes, such as 10\n");
        } else if (domain < 0 || domain > MAX_DOMAIN) {
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
}
