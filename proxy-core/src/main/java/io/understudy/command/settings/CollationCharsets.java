package io.understudy.command.settings;

/**
 * Character sets of the collation ids in login packets, as far as the lexer must distinguish them.
 *
 * <p>Source: {@code information_schema.COLLATIONS} of both products.
 */
final class CollationCharsets {
    /** Makes the lexer assume the worst case. */
    static final String UNKNOWN = "unknown";

    private CollationCharsets() {}

    static String charset(int collation) {
        return switch (collation) {
            case 33, 45, 46, 76, 83 -> "utf8mb4";
            case 63 -> "binary";
            case 11, 65 -> "ascii";
            case 5, 8, 15, 31, 47, 48, 49, 94 -> "latin1";
            case 1, 84 -> "big5";
            case 13, 88 -> "sjis";
            case 28, 87 -> "gbk";
            case 95, 96 -> "cp932";
            case 248, 249, 250 -> "gb18030";
            // Language-specific collations of utf8mb3 and utf8mb4, MySQL's 0900 ones from 255.
            default -> collation >= 192 && collation <= 247 || collation == 255 ? "utf8mb4" : UNKNOWN;
        };
    }
}
