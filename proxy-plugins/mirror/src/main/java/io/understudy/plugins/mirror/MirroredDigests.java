package io.understudy.plugins.mirror;

import io.understudy.plugin.DigestNotes;
import io.understudy.plugin.ExplainedStatement;
import io.understudy.plugins.mirror.playback.DigestTimes;
import io.understudy.plugins.mirror.playback.MirrorRules;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import io.understudy.plugins.mirror.selection.MirrorExplanation;
import io.understudy.rules.Match;
import io.understudy.rules.ReadFitness;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the mirror does with a digest: which rule it matches, whether it is mirrored or why not, how long it took. */
final class MirroredDigests {
    private static final String LOOKUP = "lookup";

    private final DigestTimes times;
    private final Supplier<MirrorRules> rules;

    /** @param rules those in force, whose patterns may be switched off */
    MirroredDigests(DigestTimes times, Supplier<MirrorRules> rules) {
        this.times = times;
        this.rules = rules;
    }

    /** Returns the figures; rules and reasons are those of every user and default schema that is known. */
    Map<String, Object> of(DigestNotes.Subject digest) {
        MirrorRules now = rules.get();
        boolean lookedUp = now.lookups() && MirrorExplanation.isLookedUp(digest.summary());
        Set<String> matched = new LinkedHashSet<>();
        Set<String> reasons = new LinkedHashSet<>();
        boolean mirrored = false;
        boolean byClient = false;
        for (String user : digest.users().isEmpty() ? List.of("") : digest.users()) {
            for (@Nullable String schema : orNone(digest.schemas())) {
                ExplainedStatement subject =
                        new ExplainedStatement(user, schema, null, digest.summary(), null, digest.normalized(), null);
                int index = now.set().peek(subject);
                byClient |= now.set().dependsOnClient(subject, index);
                MirrorConfig.Rule rule =
                        index < 0 ? null : now.set().rule(index).rule();
                if (rule != null) {
                    matched.add(rule.name());
                }
                // A look-up is made of each execution, with its values: the digest has none.
                String unfit = lookedUp ? null : unfit(now, digest, schema, rule == null ? null : rule.match());
                if (unfit != null || rule == null) {
                    reasons.add(unfit == null ? "no_rule" : unfit);
                } else if (MirrorExplanation.isSampled(rule)) {
                    mirrored = true;
                    reasons.add(lookedUp ? LOOKUP : MirrorExplanation.sampled(rule));
                } else {
                    reasons.add(MirrorExplanation.sampled(rule));
                }
            }
        }
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("rules", List.copyOf(matched));
        figures.put("mirrored", mirrored);
        figures.put("reasons", List.copyOf(reasons));
        if (byClient) {
            figures.put("dependsOnClient", true);
        }
        if (reasons.contains(LOOKUP)) {
            figures.put(LOOKUP, true);
        }
        figures.putAll(times.of(digest.summary().digest()));
        return figures;
    }

    private static @Nullable String unfit(
            MirrorRules rules, DigestNotes.Subject digest, @Nullable String schema, @Nullable Match match) {
        return ReadFitness.unfit(digest.summary(), rules.functions(), schema, match);
    }

    private static List<@Nullable String> orNone(List<String> names) {
        List<@Nullable String> all = new ArrayList<>(names);
        if (all.isEmpty()) {
            all.add(null);
        }
        return all;
    }
}
