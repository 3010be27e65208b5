package io.understudy.plugins.gtiddomain.steering;

import io.understudy.rules.Match;

/**
 * Assigns statements to a lever.
 *
 * @param name of the rule in metrics and the log
 * @param match its conditions
 */
public record LeverRule(String name, Match match) {}
