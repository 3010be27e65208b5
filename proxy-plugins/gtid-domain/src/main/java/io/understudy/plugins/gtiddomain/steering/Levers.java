package io.understudy.plugins.gtiddomain.steering;

import io.understudy.rules.RuleSet;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The rules with a lever that are in force, shared by all sessions; every reload builds new ones. Thread-safe. */
public final class Levers {
    private static final Lever[] LEVERS = Lever.values();

    /** Whether levers are set instead of only counted. */
    final boolean active;

    final SteeringMeters meters;
    private final Map<Lever, RuleSet<LeverRule>> rules = new EnumMap<>(Lever.class);
    private final Map<Lever, List<SteeringMeters.OfRule>> counters = new EnumMap<>(Lever.class);

    /** @param byLever the rules of each lever, first match wins; a lever without rules may be absent */
    public Levers(Map<Lever, List<LeverRule>> byLever, boolean active, SteeringMeters meters) {
        this.active = active;
        this.meters = meters;
        for (Lever lever : LEVERS) {
            List<LeverRule> own = byLever.getOrDefault(lever, List.of());
            rules.put(lever, new RuleSet<>(own, LeverRule::name, LeverRule::match));
            List<SteeringMeters.OfRule> counted = new ArrayList<>();
            own.forEach(rule -> counted.add(meters.new OfRule(lever, rule.name())));
            counters.put(lever, counted);
        }
    }

    /** Returns whether a rule has the lever. */
    public boolean uses(Lever lever) {
        return rules(lever).size() > 0;
    }

    RuleSet<LeverRule> rules(Lever lever) {
        return java.util.Objects.requireNonNull(rules.get(lever));
    }

    void count(Lever lever, int rule, SteeringMeters.Outcome outcome) {
        java.util.Objects.requireNonNull(counters.get(lever)).get(rule).count(outcome);
    }

    /** Returns a row for each rule and lever, with the counts by outcome. */
    public List<Object> view() {
        List<Object> rows = new ArrayList<>();
        for (Lever lever : LEVERS) {
            RuleSet<LeverRule> own = rules(lever);
            for (int i = 0; i < own.size(); i++) {
                Map<String, Object> row = new LinkedHashMap<>();
                row.put("name", own.name(i));
                row.put("action", lever.action());
                for (SteeringMeters.Outcome outcome : SteeringMeters.Outcome.values()) {
                    row.put(
                            outcome.name().toLowerCase(Locale.ROOT),
                            java.util.Objects.requireNonNull(counters.get(lever))
                                    .get(i)
                                    .total(outcome));
                }
                rows.add(row);
            }
        }
        return rows;
    }
}
