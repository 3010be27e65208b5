package io.understudy.rules;

import org.jspecify.annotations.Nullable;

/** A glob for a user or schema name: {@code app_*}, {@code !reporting}. */
public final class NameGlob implements Term {

    /** An example of the syntax, for schemas. */
    public static final String EXAMPLE = "app_*";

    private final String text;
    private final boolean negated;
    private final Glob exact;
    private final Glob folded;

    private NameGlob(String text) {
        this.text = text;
        negated = text.startsWith("!");
        String name = negated ? text.substring(1) : text;
        exact = new Glob(name, false);
        folded = new Glob(name, true);
    }

    /**
     * Parses a name.
     *
     * @throws IllegalArgumentException when it is empty
     */
    public static NameGlob parse(String text) {
        if (text.isEmpty() || text.equals("!")) {
            throw new IllegalArgumentException("expected a name such as " + EXAMPLE + " but found '" + text + "'");
        }
        return new NameGlob(text);
    }

    @Override
    public boolean negated() {
        return negated;
    }

    /** Returns whether the glob covers the name, ignoring the negation. Case-sensitive, as user names are. */
    boolean covers(@Nullable String name) {
        return name != null && exact.matches(name);
    }

    /**
     * Returns whether the glob covers the name regardless of case, as schema names are compared, ignoring the negation.
     */
    boolean coversIgnoringCase(@Nullable String name) {
        return name != null && folded.matches(name);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof NameGlob that && that.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
