package io.understudy.steering;

import io.understudy.plugins.gtiddomain.DomainRule;
import io.understudy.plugins.gtiddomain.GtidDomainConfig;
import io.understudy.plugins.gtiddomain.steering.Lever;
import io.understudy.plugins.gtiddomain.steering.LeverRule;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The rules that there are already: advice must not contradict them.
 *
 * @param names taken
 * @param domains in use, the default one included
 * @param twoPhase names of the rules with {@code alter: two-phase}, in their order
 * @param skip names of the rules with {@code parallel: skip}, in their order
 */
public record RulesInForce(Set<String> names, Set<Long> domains, List<String> twoPhase, List<String> skip) {
    /** No rules, or none that are known. */
    public static final RulesInForce NONE = new RulesInForce(Set.of(), Set.of(), List.of(), List.of());

    /** Returns those of the plugin's section. */
    public static RulesInForce of(GtidDomainConfig config) {
        Set<Long> domains = new HashSet<>(Set.of(config.defaultDomain()));
        for (DomainRule rule : config.rules()) {
            Long domain = rule.domain();
            domains.add(domain == null ? config.defaultDomain() : domain);
        }
        return new RulesInForce(
                config.rules().stream().map(DomainRule::name).collect(Collectors.toSet()),
                domains,
                names(config, Lever.TWO_PHASE),
                names(config, Lever.SKIP_PARALLEL));
    }

    private static List<String> names(GtidDomainConfig config, Lever lever) {
        return config.leverRules(lever).stream().map(LeverRule::name).toList();
    }
}
