package io.understudy.sql;

/**
 * The lexical class of each byte for the {@link Lexer}: start of a name, digit, blank, or a token by itself.
 *
 * <p>One table lookup; neighbouring bytes are not considered. Bytes from 0x80 count as letters.
 */
final class Characters {

    static final int SPACE = 1;
    static final int LETTER = 2;
    static final int DIGIT = 3;
    static final int CONTROL = 4;
    /** A token by itself, whatever its neighbours are. */
    static final int PLAIN = 5;

    /** {@link #LETTER} and {@link #DIGIT} are the two classes with this bit. */
    static final int NAME_BIT = 2;

    /** The class of each byte; 0 for bytes whose meaning depends on their neighbours. */
    static final byte[] CLASS = new byte[256];

    static {
        for (int c = 0; c < 256; c++) {
            CLASS[c] = (byte) (c >= '0' && c <= '9' ? DIGIT : c < 32 || c == 127 ? CONTROL : c >= 128 ? LETTER : 0);
        }
        for (int c = 'A'; c <= 'Z'; c++) {
            CLASS[c] = LETTER;
            CLASS[c + 32] = LETTER;
        }
        CLASS['_'] = LETTER;
        CLASS['$'] = LETTER;
        for (char c : " \t\n\u000B\f\r".toCharArray()) {
            CLASS[c] = SPACE;
        }
        for (char c : "!%&()+,;<=>[]^{|}~".toCharArray()) {
            CLASS[c] = PLAIN;
        }
    }

    private Characters() {}

    static boolean isDigit(int c) {
        return CLASS[c] == DIGIT;
    }

    static boolean isNamePart(int c) {
        return (CLASS[c] & NAME_BIT) != 0;
    }

    static boolean isHex(int c) {
        return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F';
    }

    /** Returns the byte at {@code p}, or 0 beyond the end. */
    static int at(byte[] text, int p, int limit) {
        return p < limit ? text[p] & 0xFF : 0;
    }
}
