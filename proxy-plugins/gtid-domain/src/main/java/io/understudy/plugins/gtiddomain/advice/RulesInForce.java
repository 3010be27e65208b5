package io.understudy.plugins.gtiddomain.advice;

import java.util.List;
import java.util.Set;

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
}
