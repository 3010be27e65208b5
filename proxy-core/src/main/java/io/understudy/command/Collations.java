package io.understudy.command;

/**
 * Character sets of collation ids, only as far as they matter to the lexer: those whose characters can end in the byte of
 * a backslash.
 *
 * <p>Source: {@code information_schema.COLLATIONS} of both products; ids above 2047 are MariaDB's UCA-1400 collations of
 * harmless character sets.
 */
final class Collations {
    private Collations() {}

    static String charset(int collation) {
        return switch (collation) {
            case 1, 84 -> "big5";
            case 13, 88 -> "sjis";
            case 28, 87 -> "gbk";
            case 95, 96 -> "cp932";
            case 248, 249, 250 -> "gb18030";
            default -> "utf8mb4";
        };
    }
}
