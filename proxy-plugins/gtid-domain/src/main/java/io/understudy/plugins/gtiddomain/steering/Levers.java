package io.understudy.plugins.gtiddomain.steering;

import io.understudy.rules.RuleSet;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The rules with a lever that are in force, shared by all sessions; every reload builds new ones. Thread-safe. */
public final class Levers {
    /** The rules of one lever with their counters, in the same order. */
    private record OfLever(RuleSet<DomainRule> rules, List<SteeringMeters.OfRule> counters) {}

    /** Whether levers are set instead of only counted. */
    final boolean active;

    final SteeringMeters meters;
    private final Map<Lever, OfLever> levers = new EnumMap<>(Lever.class);

    /** @param rules of each lever the first that matches wins */
    public Levers(List<DomainRule> rules, boolean active, SteeringMeters meters) {
        this.active = active;
        this.meters = meters;
        for (Lever lever : Lever.values()) {
            List<DomainRule> own =
                    rules.stream().filter(rule -> rule.has(lever)).toList();
            levers.put(
                    lever,
                    new OfLever(
                            new RuleSet<>(own, DomainRule::name, DomainRule::match),
                            own.stream()
                                    .map(rule -> new SteeringMeters.OfRule(
                                            meters.registry,
                                            lever.label(),
                                            rule.name(),
                                            SteeringMeters.Outcome.values().length))
                                    .toList()));
        }
    }

    /** Returns whether a rule has the lever. */
    public boolean uses(Lever lever) {
        return rules(lever).size() > 0;
    }

    RuleSet<DomainRule> rules(Lever lever) {
        return of(lever).rules();
    }

    private OfLever of(Lever lever) {
        return Objects.requireNonNull(levers.get(lever));
    }

    void count(Lever lever, int rule, SteeringMeters.Outcome outcome) {
        of(lever).counters().get(rule).count(outcome);
    }

    /** Returns a row for each rule and lever, with the counts by outcome. */
    public List<Object> view() {
        List<Object> rows = new ArrayList<>();
        levers.forEach((lever, of) -> {
            for (int i = 0; i < of.rules().size(); i++) {
                Map<String, Object> row = new LinkedHashMap<>();
                row.put("name", of.rules().name(i));
                row.put("action", lever.action());
                for (SteeringMeters.Outcome outcome : SteeringMeters.Outcome.values()) {
                    row.put(SteeringMeters.label(outcome), of.counters().get(i).total(outcome));
                }
                rows.add(row);
            }
        });
        return rows;
    }
}
