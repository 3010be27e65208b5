package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.rules.Match;

/**
 * A rule as tagging sees it.
 *
 * @param name name of the rule in metrics and the log
 * @param match its conditions
 * @param domain GTID domain of the writes that match
 */
public record TaggedRule(String name, Match match, long domain) {}
