package io.understudy.plugin;

import java.util.HexFormat;

/**
 * A result reduced to hashes of its rows.
 *
 * @param rows number of rows
 * @param ordered hash of the rows in their order
 * @param unordered hash of the rows in any order
 * @param partial whether a row was longer than what is hashed of it
 */
public record HashedResult(long rows, long ordered, long unordered, boolean partial) {
    private static final int DIGITS = 16;
    private static final String PART = " part";

    /** The relation of another result to a captured one. */
    public enum Relation {
        EQUAL,
        /** The same rows in another order. */
        ORDER,
        DIFFERENT
    }

    public Relation to(HashedResult other) {
        if (rows != other.rows || unordered != other.unordered) {
            return Relation.DIFFERENT;
        }
        return ordered == other.ordered ? Relation.EQUAL : Relation.ORDER;
    }

    /** Returns the hashes as a capture has them. */
    public String hashes() {
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(ordered) + " " + hex.toHexDigits(unordered) + (partial ? PART : "");
    }

    /**
     * Reads what {@link #hashes} wrote.
     *
     * @throws IllegalArgumentException if the text is no such thing
     */
    public static HashedResult parse(long rows, String hashes) {
        boolean partial = hashes.endsWith(PART);
        String digits = partial ? hashes.substring(0, hashes.length() - PART.length()) : hashes;
        if (digits.length() != 2 * DIGITS + 1 || digits.charAt(DIGITS) != ' ') {
            throw new IllegalArgumentException("expected two hashes but found " + hashes);
        }
        return new HashedResult(
                rows,
                HexFormat.fromHexDigitsToLong(digits, 0, DIGITS),
                HexFormat.fromHexDigitsToLong(digits, DIGITS + 1, digits.length()),
                partial);
    }
}
