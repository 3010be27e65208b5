package example;

import io.understudy.rules.Match;
import java.util.List;

/**
 * Section {@code tenant-limit}.
 *
 * @param attribute connection attribute that names a session's tenant; without it, or for clients that do not send it,
 *     the user is the tenant
 * @param rules the first that matches a session limits its tenant
 */
public record TenantLimitConfig(String attribute, List<Rule> rules) {
    /**
     * A limit.
     *
     * @param match sessions by {@code user}, {@code schema} and {@code client}
     * @param sessions the most sessions of one tenant
     */
    public record Rule(String name, Match match, Integer sessions) {
        public Rule {
            match = match == null ? Match.ANY : match;
            if (name == null) {
                throw new IllegalArgumentException("name: is missing");
            }
            if (match.hasStatementKeys()) {
                throw new IllegalArgumentException("match: a login has no statement; use user, schema and client");
            }
            if (sessions == null || sessions < 1) {
                throw new IllegalArgumentException("sessions: must be at least 1");
            }
        }
    }

    public TenantLimitConfig {
        rules = rules == null ? List.of() : List.copyOf(rules);
    }
}
