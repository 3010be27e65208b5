package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.InjectedStatement;
import io.understudy.rules.RuleSet;
import io.understudy.rules.SessionRules;
import java.util.ArrayList;
import java.util.List;

/** A configuration in force: made anew by every reload, shared by all sessions. */
final class Policy {
    /** Purpose of a statement that sets a domain. */
    static final String SET = "domain";
    /** Purpose of a statement that sets the domain to what it is, to learn whether that is allowed. */
    static final String PROBE = "domain-probe";

    final GtidDomainConfig config;
    final RuleSet<DomainRule> rules;
    final TableOwnership ownership;
    final TableResolver tables;
    final boolean tagging;
    final boolean pin;
    final boolean guarded;

    private final DomainSlots slots;
    private final int[] slotOfRule;
    private final List<DomainMeters.OfRule> meters = new ArrayList<>();
    private final InjectedStatement[] sets;
    private final InjectedStatement[] probes;

    Policy(
            GtidDomainConfig config,
            DomainSlots slots,
            DomainMeters allMeters,
            TableOwnership ownership,
            Dictionary dictionary) {
        this.config = config;
        this.slots = slots;
        this.ownership = ownership;
        rules = new RuleSet<>(config.rules(), DomainRule::name, DomainRule::match);
        tables = new TableResolver(ownership, dictionary);
        tagging = config.mode() == Mode.TAG;
        pin = config.guard() == Guard.PIN;
        guarded = config.guard() != Guard.OFF;
        slotOfRule = new int[rules.size()];
        for (int i = 0; i < slotOfRule.length; i++) {
            slotOfRule[i] = slots.assign(rules.rule(i).domain());
            meters.add(allMeters.new OfRule(rules.name(i)));
        }
        meters.add(allMeters.new OfRule(null));
        sets = new InjectedStatement[slots.size()];
        probes = new InjectedStatement[slots.size()];
        for (int slot = 0; slot < sets.length; slot++) {
            sets[slot] = new InjectedStatement(sql(config, slots.domain(slot)), SET);
            probes[slot] = new InjectedStatement(sql(config, slots.domain(slot)), PROBE);
        }
    }

    private static String sql(GtidDomainConfig config, long domain) {
        String procedure = config.procedure();
        if (procedure == null) {
            return "SET SESSION gtid_domain_id=" + domain;
        }
        int dot = procedure.indexOf('.');
        return "CALL `" + procedure.substring(0, dot) + "`.`" + procedure.substring(dot + 1) + "`(" + domain + ")";
    }

    /** The slot that a rule wants; the default one for {@link SessionRules#NONE}. */
    int slot(int rule) {
        return rule < 0 ? DomainSlots.DEFAULT : slotOfRule[rule];
    }

    /** The slot for a transaction whose statements are not known yet. */
    int slotOfTransaction(SessionRules<DomainRule> session) {
        // Its tables are not known, and its domain cannot change any more once they are.
        return pin ? DomainSlots.DEFAULT : slot(session.sessionIndex());
    }

    DomainMeters.OfRule meters(int rule) {
        return meters.get(rule < 0 ? slotOfRule.length : rule);
    }

    InjectedStatement set(int slot) {
        // A table may be owned by a domain that only a later reload has brought.
        return slot < sets.length ? sets[slot] : new InjectedStatement(sql(config, slots.domain(slot)), SET);
    }

    InjectedStatement probe(int slot) {
        return slot < probes.length ? probes[slot] : new InjectedStatement(sql(config, slots.domain(slot)), PROBE);
    }
}
