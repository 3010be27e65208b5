package io.understudy.rules;

import io.understudy.sql.StatementKind;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** A kind of statement, by its {@link StatementKind#label}: {@code select}, {@code ddl}, {@code !call}. */
public final class KindTerm extends Term {

    /** An example of the syntax, for schemas. */
    public static final String EXAMPLE = "ddl";

    private final String label;

    private KindTerm(String text) {
        super(text);
        label = plain(text);
    }

    /** Returns the label, in lower case. */
    String label() {
        return label;
    }

    /**
     * Parses a kind.
     *
     * @throws IllegalArgumentException when no kind has the label; the message lists the labels
     */
    public static KindTerm parse(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        String label = plain(lower);
        if (Arrays.stream(StatementKind.values()).noneMatch(k -> k.label().equals(label))) {
            throw new IllegalArgumentException("expected one of "
                    + Arrays.stream(StatementKind.values())
                            .map(StatementKind::label)
                            .distinct()
                            .collect(Collectors.joining(", "))
                    + " but found '" + text + "'");
        }
        return new KindTerm(lower);
    }

    boolean covers(StatementKind kind) {
        return kind.label().equals(label);
    }
}
