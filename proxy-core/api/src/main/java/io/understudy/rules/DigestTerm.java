package io.understudy.rules;

import java.util.HexFormat;
import java.util.regex.Pattern;

/** A statement's digest: 16 hexadecimal digits, as logs, {@code explain} and {@code /api/digests} show it. */
public record DigestTerm(long digest, boolean negated) implements Term {

    /** The syntax as a regular expression, for schemas. */
    public static final String PATTERN = "^!?[0-9A-Fa-f]{16}$";

    /** An example of the syntax, for schemas. */
    public static final String EXAMPLE = "0123456789abcdef";

    private static final Pattern SYNTAX = Pattern.compile(PATTERN);

    /**
     * Parses a digest.
     *
     * @throws IllegalArgumentException unless there are 16 hexadecimal digits
     */
    public static DigestTerm parse(String text) {
        if (!SYNTAX.matcher(text).matches()) {
            throw new IllegalArgumentException("expected a digest of 16 hexadecimal digits but found '" + text + "'");
        }
        boolean negated = text.startsWith("!");
        return new DigestTerm(HexFormat.fromHexDigitsToLong(negated ? text.substring(1) : text), negated);
    }

    @Override
    public String toString() {
        String hex = HexFormat.of().toHexDigits(digest);
        return negated ? "!" + hex : hex;
    }
}
