package io.understudy.rules;

import io.understudy.sql.StatementKind;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A kind of statement, by its {@link StatementKind#label}: {@code select}, {@code ddl}, {@code !call}.
 *
 * @param label lower case, one of the labels
 */
public record KindTerm(String label, boolean negated) implements Term {

    /** An example of the syntax, for schemas. */
    public static final String EXAMPLE = "ddl";

    /**
     * Parses a kind.
     *
     * @throws IllegalArgumentException when no kind has the label; the message lists the labels
     */
    public static KindTerm parse(String text) {
        boolean negated = text.startsWith("!");
        String label = (negated ? text.substring(1) : text).toLowerCase(Locale.ROOT);
        if (Arrays.stream(StatementKind.values()).noneMatch(k -> k.label().equals(label))) {
            throw new IllegalArgumentException("expected one of "
                    + Arrays.stream(StatementKind.values())
                            .map(StatementKind::label)
                            .distinct()
                            .collect(Collectors.joining(", "))
                    + " but found '" + text + "'");
        }
        return new KindTerm(label, negated);
    }

    boolean covers(StatementKind kind) {
        return kind.label().equals(label);
    }

    @Override
    public String toString() {
        return negated ? "!" + label : label;
    }
}
