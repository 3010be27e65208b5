package io.understudy.sql;

/** The words that go with passwords and keys in statements of any kind, also in those that cannot be parsed. */
public final class SecretWords {
    private static final String[] WORDS = {"identified", "password", "aes_", "encrypt", "decrypt"};

    private SecretWords() {}

    /** Returns whether one of them is among the first bytes of a text, in any case. */
    public static boolean areIn(byte[] text, int length) {
        for (String word : WORDS) {
            int first = word.charAt(0);
            for (int at = 0; at <= length - word.length(); at++) {
                if ((text[at] | 0x20) == first && isAt(text, at, word)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isAt(byte[] text, int at, String word) {
        for (int i = 1; i < word.length(); i++) {
            int c = text[at + i];
            if ((c >= 'A' && c <= 'Z' ? c | 0x20 : c) != word.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
