package io.understudy.steering;

import io.understudy.plugins.gtiddomain.GtidDomainConfig;
import io.understudy.plugins.gtiddomain.steering.DomainRule;
import io.understudy.plugins.gtiddomain.steering.Lever;
import io.understudy.steering.parallelism.Workload;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes rules for {@code plugins.gtid-domain.rules}, one line each: all of one advice may be pasted together. Not
 * thread-safe.
 */
final class Rules {
    /** Names that mean themselves in a rule and in YAML. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_$]+(\\.[A-Za-z0-9_$]+)?");

    /** The rules by their names, those in force without a text. */
    private final Map<String, String> texts = new HashMap<>();

    private final List<String> twoPhase;
    private final List<String> skip;
    private final long freeDomain;

    /**
     * Begins with the rules that there are already: advice must not contradict them.
     *
     * @param inForce null if there are none, or none that are known
     * @param entries the log, whose domains are taken too
     */
    Rules(@Nullable GtidDomainConfig inForce, List<Workload.Entry> entries) {
        Set<Long> used = new HashSet<>();
        if (inForce != null) {
            used.add(inForce.defaultDomain());
            for (DomainRule rule : inForce.rules()) {
                texts.put(rule.name(), "");
                used.add(Objects.requireNonNullElse(rule.domain(), inForce.defaultDomain()));
            }
        }
        twoPhase = names(inForce, Lever.TWO_PHASE);
        skip = names(inForce, Lever.SKIP_PARALLEL);
        entries.forEach(entry -> used.add(entry.domain()));
        long free = 10;
        while (used.contains(free)) {
            free++;
        }
        freeDomain = free;
    }

    private static List<String> names(@Nullable GtidDomainConfig inForce, Lever lever) {
        return inForce == null
                ? List.of()
                : inForce.leverRules(lever).stream().map(DomainRule::name).toList();
    }

    /** Returns whether a rule can name the table or schema. */
    static boolean nameable(String name) {
        return PLAIN.matcher(name).matches();
    }

    String twoPhase() {
        return rule("alters", "match: { kind: ddl }, alter: two-phase");
    }

    String skip(String table) {
        return rule("hot-" + slug(table), "match: { table: " + table + " }, parallel: skip");
    }

    /** Returns the note with, in front of it, the rules that have {@code alter: two-phase} already. */
    String twoPhaseNote(String note) {
        return already(twoPhase, note);
    }

    /** Returns the note with, in front of it, the rules that have {@code parallel: skip} already. */
    String skipNote(String note) {
        return already(skip, note);
    }

    /** The findings are of ten minutes: those from before a rule remain, and its like would be pasted again. */
    private static String already(List<String> rules, String note) {
        return rules.isEmpty()
                ? note
                : String.join(", ", rules)
                        + (rules.size() == 1 ? " has" : " have")
                        + " this action already, so this was before the rule or in mode advise, or did not match; "
                        + note;
    }

    String schemaChanges(String table) {
        return rule("ddl-" + slug(table), "match: { kind: ddl, table: " + table + " }, domain: " + freeDomain);
    }

    String table(String table) {
        return rule("apart-" + slug(table), "match: { table: " + table + " }, domain: " + freeDomain);
    }

    /** Returns the rule under the name, with a number if another rule has taken that. */
    private String rule(String name, String text) {
        String free = name;
        for (int number = 2; !texts.getOrDefault(free, text).equals(text); number++) {
            free = name + "-" + number;
        }
        texts.put(free, text);
        return "- { name: " + free + ", " + text + " }";
    }

    private static String slug(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    }
}
