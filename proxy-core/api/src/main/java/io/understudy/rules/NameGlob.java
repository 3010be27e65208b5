package io.understudy.rules;

import org.jspecify.annotations.Nullable;

/** A glob for a user or schema name: {@code app_*}, {@code !reporting}. */
public final class NameGlob extends Term {

    /** An example of the syntax, for schemas. */
    public static final String EXAMPLE = "app_*";

    private final String glob;

    private NameGlob(String text) {
        super(text);
        glob = plain(text);
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

    /** Returns whether the glob covers the name, ignoring the negation. Case-sensitive, as user names are. */
    boolean covers(@Nullable String name) {
        return name != null && Glob.matches(glob, name, false);
    }

    /**
     * Returns whether the glob covers the name regardless of case, as schema names are compared, ignoring the negation.
     */
    boolean coversIgnoringCase(@Nullable String name) {
        return name != null && Glob.matches(glob, name, true);
    }
}
