package io.understudy.plugins.gtiddomain.catalog;

import io.understudy.sql.StoredCode;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The names that stored code (the body of a trigger or routine, the definition of a view) mentions, tables or not: the
 * caller selects the tables. Surplus names are harmless and missing ones are not, so everything that is a name in one
 * way to read the code counts, also within comments that some servers execute.
 *
 * @param names every name, with the schema of the code and, behind a dot, with the name before it: lower case
 *     {@code schema.name}
 * @param writes whether a word occurs that may begin a write
 * @param calls whether a procedure is called
 * @param advances whether words occur that may advance a sequence: NEXTVAL, SETVAL, NEXT VALUE
 * @param dynamic whether statements are built at run time, whose names are not in the text
 */
record Mentions(Set<String> names, boolean writes, boolean calls, boolean advances, boolean dynamic) {
    private static final Set<String> WRITING = Set.of(
            "insert update delete replace truncate alter drop create rename load call import optimize".split(" "));
    private static final Set<String> ADVANCING = Set.of("nextval", "setval");
    private static final Set<String> DYNAMIC = Set.of("prepare", "execute");

    /** @param schema of names that are written without one */
    static Mentions of(String schema, String body) {
        Mentions all = null;
        for (List<String> words : StoredCode.readings(body)) {
            Mentions mentions = of(schema, words);
            all = all == null ? mentions : all.and(mentions);
        }
        return Objects.requireNonNull(all);
    }

    private static Mentions of(String schema, List<String> words) {
        Set<String> names = new HashSet<>();
        boolean writes = false;
        boolean calls = false;
        boolean advances = false;
        boolean dynamic = false;
        String before = null;
        boolean dot = false;
        for (String word : words) {
            if (word.equals(".")) {
                dot = before != null;
                continue;
            }
            writes |= WRITING.contains(word);
            calls |= word.equals("call");
            advances |= ADVANCING.contains(word) || word.equals("value") && "next".equals(before);
            dynamic |= DYNAMIC.contains(word);
            names.add(Catalog.name(schema, word));
            if (dot && before != null) {
                names.add(Catalog.name(before, word));
            }
            dot = false;
            before = word;
        }
        return new Mentions(names, writes || advances || dynamic, calls, advances, dynamic);
    }

    /** Returns what both texts mention. */
    Mentions and(Mentions other) {
        Set<String> all = new HashSet<>(names);
        all.addAll(other.names);
        return new Mentions(
                all,
                writes || other.writes,
                calls || other.calls,
                advances || other.advances,
                dynamic || other.dynamic);
    }
}
