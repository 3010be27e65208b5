package io.understudy.rules;

import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;

/** A statement's digest: 16 hexadecimal digits, as logs, {@code explain} and {@code /api/digests} show it. */
public final class DigestTerm extends Term {

    /** The syntax as a regular expression, for schemas. */
    public static final String PATTERN = "^!?[0-9A-Fa-f]{16}$";

    /** An example of the syntax, for schemas. */
    public static final String EXAMPLE = "0123456789abcdef";

    private static final Pattern SYNTAX = Pattern.compile(PATTERN);

    private final long digest;

    private DigestTerm(String text) {
        super(text);
        digest = HexFormat.fromHexDigitsToLong(plain(text));
    }

    long digest() {
        return digest;
    }

    /**
     * Parses a digest.
     *
     * @throws IllegalArgumentException unless there are 16 hexadecimal digits
     */
    public static DigestTerm parse(String text) {
        if (!SYNTAX.matcher(text).matches()) {
            throw new IllegalArgumentException("expected a digest of 16 hexadecimal digits but found '" + text + "'");
        }
        return new DigestTerm(text.toLowerCase(Locale.ROOT));
    }
}
