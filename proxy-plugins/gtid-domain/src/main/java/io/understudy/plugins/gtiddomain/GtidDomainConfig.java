package io.understudy.plugins.gtiddomain;

import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.steering.DomainRule;
import io.understudy.plugins.gtiddomain.steering.Lever;
import io.understudy.plugins.gtiddomain.tagging.Guard;
import io.understudy.plugins.gtiddomain.tagging.Mode;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The section {@code plugins.gtid-domain}.
 *
 * @param mode whether domains are set or only counted
 * @param guard what happens when a table is written from two domains
 * @param defaultDomain domain of all writes that no rule matches; the primary's global gtid_domain_id
 * @param procedure {@code schema.procedure} that sets the domain for accounts without BINLOG REPLAY, or null
 * @param learn how long after the start all writes stay in the default domain, to learn which tables transactions write
 * @param poll interval at which the positions of primary and standbys are compared
 * @param maxTables number of tables that are followed; writes to others go to the default domain
 * @param binlog whether the primary's binary log is read, for writes that statements do not announce
 * @param rules of the rules with the same action the first match wins; no match: the default domain, and no lever
 */
public record GtidDomainConfig(
        Mode mode,
        Guard guard,
        Long defaultDomain,
        @Nullable String procedure,
        Duration learn,
        Duration poll,
        Integer maxTables,
        Boolean binlog,
        List<DomainRule> rules) {

    private static final Pattern PROCEDURE = Pattern.compile("[A-Za-z0-9_$]{1,64}\\.[A-Za-z0-9_$]{1,64}");

    public GtidDomainConfig {
        mode = mode == null ? Mode.ADVISE : mode;
        guard = guard == null ? Guard.PIN : guard;
        defaultDomain = defaultDomain == null ? 0L : defaultDomain;
        learn = learn == null ? Duration.ofSeconds(30) : learn;
        poll = poll == null ? Duration.ofMillis(250) : poll;
        maxTables = maxTables == null ? 10_000 : maxTables;
        binlog = binlog == null || binlog;
        rules = rules == null ? List.of() : List.copyOf(rules);
        StringBuilder refusals = new StringBuilder();
        if (defaultDomain < 0 || defaultDomain > DomainRule.MAX_DOMAIN) {
            refuse(refusals, "defaultDomain", "expected 0 to 4294967295 but found " + defaultDomain);
        }
        if (procedure != null && !PROCEDURE.matcher(procedure).matches()) {
            refuse(refusals, "procedure", "expected schema.procedure but found '" + procedure + "'");
        }
        if (learn.isNegative()) {
            refuse(refusals, "learn", "expected 0s or more but found " + learn.toMillis() + "ms");
        }
        if (poll.toMillis() < 10 || poll.toMillis() > 60_000) {
            refuse(refusals, "poll", "expected 10ms to 60s but found " + poll.toMillis() + "ms");
        }
        if (maxTables < 1 || maxTables > 1_000_000) {
            refuse(refusals, "maxTables", "expected 1 to 1000000 but found " + maxTables);
        }
        Set<String> names = new HashSet<>();
        Set<Long> domains = new HashSet<>(Set.of(defaultDomain));
        for (int i = 0; i < rules.size(); i++) {
            Long domain = rules.get(i).domain();
            domains.add(domain == null ? defaultDomain : domain);
            if (!names.add(rules.get(i).name())) {
                refuse(refusals, "rules[" + i + "].name", "'" + rules.get(i).name() + "' is taken by an earlier rule");
            }
        }
        if (domains.size() > DomainIndexes.MAX) {
            refuse(
                    refusals,
                    "rules",
                    "expected at most " + DomainIndexes.MAX + " different domains but found " + domains.size()
                            + "; more do not help a replica either");
        }
        if (refusals.length() > 0) {
            throw new IllegalArgumentException(refusals.toString().stripTrailing());
        }
    }

    /** Returns the rules with a domain, in their order. */
    List<DomainRule> domainRules() {
        return rules.stream().filter(rule -> rule.domain() != null).toList();
    }

    /** Returns the same with {@link Mode#ADVISE}. */
    GtidDomainConfig advising() {
        return new GtidDomainConfig(
                Mode.ADVISE, guard, defaultDomain, procedure, learn, poll, maxTables, binlog, rules);
    }

    /** Returns whether it is harmful that some sessions write unobserved. */
    boolean needsEverySession() {
        return mode == Mode.TAG && guard != Guard.OFF;
    }

    /** Returns whether sessions may be tagged: some rule has a domain, or there are no rules yet. */
    public boolean usesDomains() {
        return rules.isEmpty() || !domainRules().isEmpty();
    }

    /** Returns the rules with a lever, in their order. */
    public List<DomainRule> leverRules(Lever lever) {
        return rules.stream().filter(rule -> rule.has(lever)).toList();
    }

    private static void refuse(StringBuilder refusals, String path, String message) {
        refusals.append(path).append(": ").append(message).append('\n');
    }
}
