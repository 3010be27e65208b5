package io.understudy.sql;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A statement that prepares another one by name, or ends that.
 *
 * @param name lower case
 * @param text the statement prepared; null if it is no literal, and for DEALLOCATE and DROP PREPARE
 * @param removes whether it is DEALLOCATE or DROP PREPARE
 */
public record TextPreparation(String name, @Nullable String text, boolean removes) {
    /**
     * Parses a statement.
     *
     * @return null if the text is none of the three, has several statements, or a name that is not ASCII
     */
    public static @Nullable TextPreparation parse(byte[] sql, int modes) {
        boolean ascii = SqlAnalyzer.isAscii(sql, 0, sql.length);
        if ((modes & SqlModes.UNSAFE_CHARSET) != 0 && !ascii) {
            return null;
        }
        Tokens t = new Tokens();
        t.load(new Lexer(), sql, 0, sql.length, modes);
        int bad = Lexer.UNTERMINATED | Lexer.BAD_TEXT | Lexer.EXECUTABLE_BY_SOME;
        boolean removes = t.isAny(0, Keyword.DEALLOCATE, Keyword.DROP) && t.is(1, Keyword.PREPARE);
        int at = removes ? 2 : 1;
        if ((t.flags & bad) != 0 || !removes && !t.is(0, Keyword.PREPARE) || !t.isName(at)) {
            return null;
        }
        String name = t.name(at++).toLowerCase(Locale.ROOT);
        if (!name.chars().allMatch(c -> c < 0x80)) {
            return null; // names are compared by a collation
        }
        if (removes) {
            return end(t, at) ? new TextPreparation(name, null, true) : null;
        }
        if (!t.is(at, Keyword.FROM)) {
            return null;
        }
        for (int i = at; t.type(i) != Lexer.END; i++) {
            if (t.type(i) == ';' && !end(t, i)) {
                return null;
            }
        }
        at++;
        boolean literal = t.type(at) == Lexer.STRING && end(t, at + 1);
        boolean backslash = (modes & SqlModes.NO_BACKSLASH_ESCAPES) == 0;
        return new TextPreparation(name, literal ? t.string(at, backslash) : null, false);
    }

    private static boolean end(Tokens t, int first) {
        int i = first;
        while (t.type(i) == ';') {
            i++;
        }
        return t.type(i) == Lexer.END;
    }
}
