package io.understudy.config.bind.problem;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A document's text, to quote lines of it in problems. Possible secrets are cut from a quoted line: values bound as
 * {@code @Sensitive}, and everything after a key whose name suggests a secret, since a problem may prevent binding.
 */
public final class Source {

    private static final String CUT = "***";
    private static final int MAX_SHOWN = 160;
    private static final Pattern KEY = Pattern.compile("([A-Za-z_][A-Za-z0-9_-]*)[\"']?\\s*:(?=\\s|$)\\s*");
    private static final Pattern HARMLESS_VALUE =
            Pattern.compile("(?:\\$\\{(?:env|file):[^}]*}|\"\\$\\{(?:env|file):[^}\"]*}\"|'\\$\\{(?:env|file):[^}']*}')"
                    + "\\s*(?:[,}].*|#.*)?");
    private static final Pattern SENSITIVE_NAME =
            Pattern.compile("pass|pwd|secret|token|credential|privatekey", Pattern.CASE_INSENSITIVE);
    private static final List<String> SENSITIVE_WORDS = List.of("password", "token", "secret");

    private final String name;
    private final List<String> lines;
    /** Line → column from which nothing is shown. */
    private final Map<Integer, Integer> cuts = new HashMap<>();

    public Source(String name, String text) {
        this.name = name;
        this.lines = new ArrayList<>(List.of(text.split("\r\n|\r|\n", -1)));
    }

    public String name() {
        return name;
    }

    /** Hides everything from a position to the end of the last line given. */
    public void hide(Position from, int lastLine) {
        cuts.merge(from.line(), from.column(), Math::min);
        for (int line = from.line() + 1; line <= lastLine; line++) {
            cuts.merge(line, 1, Math::min);
        }
    }

    /** Hides what follows a key on its line and, for a syntax error, a line that continues a secret of a line above. */
    public void hideAround(Position position) {
        for (int line = Math.min(position.line(), lines.size()); line >= 1; line--) {
            Matcher key = KEY.matcher(lines.get(line - 1));
            String last = null;
            while (key.find()) {
                last = key.group(1);
            }
            if (last != null) {
                if (line != position.line() && soundsSensitive(last)) {
                    cuts.merge(position.line(), 1, Math::min);
                }
                return;
            }
        }
    }

    /** Returns the line with a caret below the column, or an empty text if there is no such line. */
    String excerpt(Position position) {
        if (position.line() < 1 || position.line() > lines.size()) {
            return "";
        }
        String line = lines.get(position.line() - 1);
        if (line.isBlank()) {
            return "";
        }
        int column = Math.min(line.codePointCount(0, line.length()), position.column() - 1);
        int index = line.offsetByCodePoints(0, column);
        int cut = cutIndex(line, position.line());
        String shown = cut < line.length() ? line.substring(0, cut) + CUT : line;
        index = Math.min(index, Math.min(cut, shown.length()));
        if (shown.length() > MAX_SHOWN) {
            int from = Math.max(0, index - MAX_SHOWN / 2);
            shown = shown.substring(from, Math.min(shown.length(), from + MAX_SHOWN));
            index -= from;
        }
        StringBuilder caret = new StringBuilder("    ");
        for (int i = 0; i < index; i++) {
            caret.append(shown.charAt(i) == '\t' ? '\t' : ' ');
        }
        return "    " + shown + "\n" + caret + "^";
    }

    private int cutIndex(String line, int number) {
        int cut = line.length();
        Integer hidden = cuts.get(number);
        if (hidden != null) {
            int points = Math.min(hidden - 1, line.codePointCount(0, line.length()));
            int index = line.offsetByCodePoints(0, points);
            if (!HARMLESS_VALUE.matcher(line.substring(index)).matches()) {
                cut = index;
            }
        }
        Matcher key = KEY.matcher(line);
        while (key.find()) {
            if (soundsSensitive(key.group(1))
                    && key.end() < cut
                    && !HARMLESS_VALUE.matcher(line.substring(key.end())).matches()) {
                cut = key.end();
            }
        }
        return cut;
    }

    static boolean soundsSensitive(String key) {
        String folded = key.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
        return SENSITIVE_NAME.matcher(folded).find()
                || SENSITIVE_WORDS.stream()
                        .anyMatch(word -> Suggestions.distance(word, folded) <= (word.length() > 6 ? 2 : 1));
    }
}
