package io.understudy.plugins.gtiddomain.tagging;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of the configuration that decides about a session's domain.
 *
 * @param mode whether domains are set or only counted
 * @param guard what happens when a table is written from two domains
 * @param procedure {@code schema.procedure} that sets the domain, or null for a SET
 * @param rules in their order: the first match wins
 */
public record TaggingRules(Mode mode, Guard guard, @Nullable String procedure, List<TaggedRule> rules) {
    public TaggingRules {
        rules = List.copyOf(rules);
    }
}
