package io.understudy.sql;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reads the body of a trigger, routine or event, or the definition of a view, whose {@code sql_mode} is not known. */
public final class StoredCode {
    private StoredCode() {}

    /**
     * Returns the names and other words of the code, lower case and without quotes, and its dots; comments and strings
     * are left out. There is one list for each way to read the quotes and backslashes in it: one of them is the
     * server's.
     */
    public static List<List<String>> readings(String code) {
        byte[] text = code.getBytes(StandardCharsets.UTF_8);
        Lexer lexer = new Lexer();
        Tokens tokens = new Tokens();
        List<List<String>> readings = new ArrayList<>();
        for (int quotes = 0; quotes <= (code.indexOf('"') < 0 ? 0 : SqlModes.ANSI_QUOTES); quotes++) {
            tokens.load(lexer, text, 0, text.length, quotes);
            readings.add(words(tokens));
            if (code.indexOf('\\') >= 0) {
                tokens.load(lexer, text, 0, text.length, quotes | SqlModes.NO_BACKSLASH_ESCAPES);
                readings.add(words(tokens));
            }
        }
        return readings;
    }

    private static List<String> words(Tokens tokens) {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < tokens.count(); i++) {
            if (tokens.isName(i)) {
                words.add(tokens.name(i).toLowerCase(Locale.ROOT));
            } else if (tokens.type(i) == '.') {
                words.add(".");
            }
        }
        return words;
    }
}
