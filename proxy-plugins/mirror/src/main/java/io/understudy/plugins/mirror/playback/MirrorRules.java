package io.understudy.plugins.mirror.playback;

import io.understudy.plugins.mirror.selection.MirrorConfig;
import io.understudy.plugins.mirror.selection.RateLimit;
import io.understudy.plugins.mirror.selection.SampleRate;
import io.understudy.rules.RuleSet;
import io.understudy.sql.TableName;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rules in force, shared by all sessions; every reload builds new ones. */
public final class MirrorRules {
    /** A rule with its limit and the standbys that it mirrors to. */
    public record Bound(MirrorConfig.Rule rule, RateLimit limit, List<StandbyMirror> targets) {
        Bound(MirrorConfig.Rule rule, List<StandbyMirror> targets) {
            this(rule, limit(rule.maxPerSecond()), targets);
        }

        private static RateLimit limit(@Nullable Integer perSecond) {
            return perSecond == null ? RateLimit.NONE : RateLimit.perSecond(perSecond, System.nanoTime());
        }

        /** Returns whether the sample has the statement for which {@code random} was drawn. */
        public boolean takes(int random) {
            for (int i = 0; i < targets.size(); i++) {
                StandbyMirror standby = targets.get(i);
                if (takes(random, standby) && !standby.isPrimary()) {
                    return true;
                }
            }
            return false;
        }

        /** Returns whether the sample of {@code standby} has the statement for which {@code random} was drawn. */
        public boolean takes(int random, StandbyMirror standby) {
            return (rule.sample().isAdaptive() ? standby.adaptiveSample() : rule.sample()).takes(random);
        }

        /** Returns whether a standby boosts a table, so that statements outside the sample may be taken. */
        public boolean boosts() {
            if (rule.sample().millionths() == 0) {
                return false;
            }
            for (int i = 0; i < targets.size(); i++) {
                if (!targets.get(i).probing().boost().tables().isEmpty()) {
                    return true;
                }
            }
            return false;
        }

        /** Returns whether a standby's boost takes a read of these tables. */
        public boolean boosts(List<TableName> tables, int random) {
            for (int i = 0; i < targets.size(); i++) {
                if (targets.get(i).probing().boost().takes(tables, random, System.nanoTime())) {
                    return true;
                }
            }
            return false;
        }

        /** Returns the share of statements that go to {@code standby}. */
        double share(StandbyMirror standby) {
            return share(standby.adaptiveSample());
        }

        /** Returns the share of statements that are mirrored if {@code adaptive} is the sample of adaptive rules. */
        double share(SampleRate adaptive) {
            return (rule.sample().isAdaptive() ? adaptive : rule.sample()).share();
        }

        String name() {
            return rule.name();
        }
    }

    private final RuleSet<Bound> rules;
    private final Set<String> functions;
    private final boolean lookups;

    /** @throws IllegalArgumentException if a rule names a standby that is not configured */
    public MirrorRules(MirrorConfig config, List<StandbyMirror> standbys) {
        List<Bound> bound = new ArrayList<>();
        for (MirrorConfig.Rule rule : config.rules()) {
            bound.add(new Bound(rule, targets(rule, standbys)));
        }
        rules = new RuleSet<>(bound, Bound::name, one -> one.rule().match());
        functions = config.pureFunctions();
        lookups = config.writes() == MirrorConfig.Writes.LOOKUPS;
    }

    private static List<StandbyMirror> targets(MirrorConfig.Rule rule, List<StandbyMirror> standbys) {
        if (rule.standbys().isEmpty()) {
            return List.copyOf(standbys);
        }
        List<StandbyMirror> targets = new ArrayList<>();
        for (String name : rule.standbys()) {
            targets.add(standbys.stream()
                    .filter(standby -> standby.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("rules: rule '" + rule.name()
                            + "' names the standby '" + name + "', which is not in standbys: "
                            + standbys.stream().map(StandbyMirror::name).toList())));
        }
        return targets;
    }

    public RuleSet<Bound> set() {
        return rules;
    }

    /** Returns the stored functions configured as read-only, lower case. */
    public Set<String> functions() {
        return functions;
    }

    /** Returns whether the conditions of writes and locking reads are looked up. */
    public boolean lookups() {
        return lookups;
    }

    public List<Map<String, Object>> view() {
        List<Map<String, Object>> view = new ArrayList<>();
        for (int i = 0; i < rules.size(); i++) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("rule", rules.name(i));
            row.put("sample", rules.rule(i).rule().sample().toString());
            row.put("by", rules.rule(i).rule().by().name().toLowerCase(Locale.ROOT));
            row.put("hits", rules.hits(i));
            row.put("patternAborts", rules.patternAborts(i));
            view.add(row);
        }
        return view;
    }
}
