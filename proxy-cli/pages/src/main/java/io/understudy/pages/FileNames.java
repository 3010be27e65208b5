package io.understudy.pages;

/**
 * Decodes the encoding of schema and table names in file names, which both products share: {@code @0024} stands for
 * {@code $}.
 */
final class FileNames {
    private static final int DIGITS = 4;

    private FileNames() {}

    /**
     * Decodes the sequences of four hexadecimal digits. Other sequences, used for a few old alphabets, stay as they
     * are.
     */
    static String decode(String name) {
        if (name.indexOf('@') < 0) {
            return name;
        }
        StringBuilder out = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            int end = i + 1 + DIGITS;
            if (c == '@' && end <= name.length() && name.substring(i + 1, end).matches("[0-9a-fA-F]{4}")) {
                out.append((char) Integer.parseInt(name.substring(i + 1, end), 16));
                i = end - 1;
            } else {
                out.append(c);
            }
        }
        return out.toString();
    }
}
