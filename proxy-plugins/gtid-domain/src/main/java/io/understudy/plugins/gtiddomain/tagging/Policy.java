package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.plugin.VariableValue;
import io.understudy.plugins.gtiddomain.catalog.Dictionary;
import io.understudy.plugins.gtiddomain.ownership.TableOwnership;
import io.understudy.plugins.gtiddomain.ownership.TableResolver;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.steering.DomainRule;
import io.understudy.rules.RuleSet;
import io.understudy.rules.SessionRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A configuration in force, shared by all sessions; every reload builds a new one. */
public final class Policy {
    /** Purpose of an injected statement that sets a domain. */
    private static final String SET = "domain";

    public final Mode mode;
    public final Guard guard;
    public final RuleSet<DomainRule> rules;
    public final TableOwnership ownership;
    public final TableResolver tables;
    public final boolean tagging;
    public final boolean pin;
    public final boolean guarded;

    private final DomainIndexes indexes;
    private final @Nullable String procedure;
    private final int[] indexOfRule;
    private final List<DomainMeters.OfRule> meters = new ArrayList<>();
    private final VariableValue[] values;

    /**
     * Builds it.
     *
     * @param procedure {@code schema.procedure} that sets the domain, or null for a SET
     * @param domainRules those with a domain, in their order: the first match wins
     */
    public Policy(
            Mode mode,
            Guard guard,
            @Nullable String procedure,
            List<DomainRule> domainRules,
            DomainIndexes indexes,
            DomainMeters allMeters,
            TableOwnership ownership,
            Dictionary dictionary) {
        this.mode = mode;
        this.guard = guard;
        this.procedure = procedure;
        this.indexes = indexes;
        this.ownership = ownership;
        rules = new RuleSet<>(domainRules, DomainRule::name, DomainRule::match);
        tables = new TableResolver(ownership, dictionary);
        tagging = mode == Mode.TAG;
        pin = guard == Guard.PIN;
        guarded = guard != Guard.OFF;
        indexOfRule = new int[rules.size()];
        for (int i = 0; i < indexOfRule.length; i++) {
            indexOfRule[i] = indexes.assign(Objects.requireNonNull(rules.rule(i).domain()));
            meters.add(allMeters.new OfRule(rules.name(i)));
        }
        meters.add(allMeters.new OfRule(null));
        values = new VariableValue[indexes.size()];
        for (int index = 0; index < values.length; index++) {
            values[index] = new VariableValue(index, sql(indexes.domain(index)), SET);
        }
    }

    private String sql(long domain) {
        if (procedure == null) {
            return "SET SESSION gtid_domain_id=" + domain;
        }
        int dot = procedure.indexOf('.');
        return "CALL `" + procedure.substring(0, dot) + "`.`" + procedure.substring(dot + 1) + "`(" + domain + ")";
    }

    /** Returns the domain index of a rule; the default one for {@link SessionRules#NONE}. */
    public int index(int rule) {
        return rule < 0 ? DomainIndexes.DEFAULT : indexOfRule[rule];
    }

    /** Returns the domain index for a transaction whose statements are not known yet. */
    int indexForTransaction(SessionRules<DomainRule> session) {
        // Its tables are unknown, and its domain cannot change any more once they are known.
        return pin ? DomainIndexes.DEFAULT : index(session.sessionIndex());
    }

    public DomainMeters.OfRule meters(int rule) {
        return meters.get(rule < 0 ? indexOfRule.length : rule);
    }

    /** Returns the domain of an index, for logs. */
    public String label(int index) {
        return indexes.label(index);
    }

    /** Returns the value of {@code gtid_domain_id} for a domain. */
    public VariableValue value(int index) {
        // A table may be owned by a domain that only a later reload has added.
        return index < values.length ? values[index] : new VariableValue(index, sql(indexes.domain(index)), SET);
    }
}
