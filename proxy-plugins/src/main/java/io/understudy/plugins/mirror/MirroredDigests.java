package io.understudy.plugins.mirror;

import io.understudy.plugin.DigestNotes;
import io.understudy.rules.ExplainedStatement;
import io.understudy.rules.RuleSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the mirror does with a digest: which rule it matches, whether it is mirrored or why not, how long it took. */
final class MirroredDigests {
    private final DigestTimes times;
    private volatile Rules rules;

    private record Rules(MirrorConfig config, RuleSet<MirrorConfig.Rule> set) {
        static Rules of(MirrorConfig config) {
            return new Rules(config, new RuleSet<>(config.rules(), MirrorConfig.Rule::name, MirrorConfig.Rule::match));
        }
    }

    MirroredDigests(DigestTimes times, MirrorConfig config) {
        this.times = times;
        rules = Rules.of(config);
    }

    void reload(MirrorConfig config) {
        rules = Rules.of(config);
    }

    /** Returns the figures; rules and reasons are those of every user and default schema that is known. */
    Map<String, Object> of(DigestNotes.Subject digest) {
        Rules now = rules;
        Set<String> matched = new LinkedHashSet<>();
        Set<String> reasons = new LinkedHashSet<>();
        boolean mirrored = false;
        boolean byClient = false;
        for (String user : digest.users().isEmpty() ? List.of("") : digest.users()) {
            for (@Nullable String schema : orNone(digest.schemas())) {
                MirrorExplanation found = MirrorExplanation.of(
                        now.config(),
                        now.set(),
                        new ExplainedStatement(user, schema, null, digest.summary(), digest.normalized()),
                        null);
                mirrored |= found.mirrored();
                if (found.rule() != null) {
                    matched.add(found.rule());
                }
                reasons.add(found.reason());
                byClient |= found.verdicts().stream()
                        .anyMatch(verdict -> verdict.reason().startsWith("client: "));
            }
        }
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("rules", List.copyOf(matched));
        figures.put("mirrored", mirrored);
        figures.put("reasons", List.copyOf(reasons));
        if (byClient) {
            figures.put("dependsOnClient", true);
        }
        figures.putAll(times.of(digest.summary().digest()));
        return figures;
    }

    private static List<@Nullable String> orNone(List<String> names) {
        List<@Nullable String> all = new ArrayList<>(names);
        if (all.isEmpty()) {
            all.add(null);
        }
        return all;
    }
}
