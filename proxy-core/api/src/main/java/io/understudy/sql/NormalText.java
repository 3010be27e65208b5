package io.understudy.sql;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Writes a statement's normalised text: one spelling per digest, except for the case of names. */
final class NormalText {

    private final StringBuilder text = new StringBuilder();
    private final int max;
    /** Whether a blank precedes the next token. */
    private boolean space;

    private boolean operator;

    NormalText(int max) {
        this.max = max;
    }

    int length() {
        return text.length();
    }

    void cut(int length) {
        if (length < text.length()) {
            text.setLength(length);
        }
        space = true;
        operator = false;
    }

    void literal() {
        word("?");
    }

    void comma() {
        behind(",");
    }

    void semicolon() {
        behind(";");
    }

    /** Adds what no blank precedes. */
    private void behind(String punctuation) {
        text.append(text.length() > max ? "" : punctuation);
        space = true;
        operator = false;
    }

    void open() {
        word("(");
        space = false;
    }

    void close() {
        behind(")");
    }

    void operator(Lexer lexer, int type) {
        if (type == '.') {
            text.append('.');
            space = false;
            operator = false;
            return;
        }
        if (operator && !lexer.gap) {
            text.append((char) type);
        } else {
            word(String.valueOf((char) type));
        }
        operator = true;
    }

    void name(Lexer lexer, int type) {
        if (text.length() > max) {
            return;
        }
        if (type == Lexer.HINT) {
            return;
        }
        byte[] bytes = lexer.text();
        String raw = new String(bytes, lexer.start, lexer.end - lexer.start, StandardCharsets.UTF_8);
        if (type == Lexer.WORD) {
            Keyword keyword = text.length() > 0 && text.charAt(text.length() - 1) == '.'
                    ? null
                    : Keyword.find(bytes, lexer.start, lexer.end, lexer.folded);
            word(keyword == null ? raw : raw.toUpperCase(Locale.ROOT));
            // No blank between a function's name and its parenthesis.
            callable = keyword == null || !keyword.beforeParenthesis();
            return;
        }
        if (type == Lexer.QUOTED && isPlain(bytes, lexer.start + 1, lexer.end - 1)) {
            raw = raw.substring(1, raw.length() - 1);
        }
        word(raw);
        callable = type == Lexer.QUOTED;
    }

    private boolean callable;

    private static boolean isPlain(byte[] bytes, int start, int end) {
        if (start >= end || bytes[start] >= '0' && bytes[start] <= '9') {
            return false;
        }
        for (int p = start; p < end; p++) {
            int c = bytes[p];
            if (!(c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')) {
                return false;
            }
        }
        return Keyword.find(bytes, start, end, Words.folded(bytes, start, end)) == null;
    }

    private void word(String word) {
        if (text.length() <= max) {
            if (space && text.length() > 0 && !(callable && word.equals("("))) {
                text.append(' ');
            }
            text.append(word);
        }
        callable = false;
        space = true;
        operator = false;
    }

    String finish() {
        return text.length() > max ? text.substring(0, max) : text.toString();
    }
}
