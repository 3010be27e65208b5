package io.understudy.plugins.gtiddomain.advice;

import java.util.Set;

/**
 * The rules that there are already: advice must not contradict them.
 *
 * @param names taken
 * @param domains in use, the default one included
 */
public record RulesInForce(Set<String> names, Set<Long> domains) {
    /** No rules, or none that are known. */
    public static final RulesInForce NONE = new RulesInForce(Set.of(), Set.of());
}
