package io.understudy.it;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Splits shell code of the documents into simple commands. It knows quotes, comments, operators, redirections and
 * continued lines.
 */
final class ShellCommands {
    private static final Pattern SUBSTITUTION = Pattern.compile("\\$\\([^()]*\\)");
    private static final Pattern PROGRAM = Pattern.compile("([^ ]*/)?understudy");

    private ShellCommands() {}

    /** Returns the words of each command; a redirection is left out, a substitution is the word 1. */
    static List<List<String>> of(String code) {
        String text = SUBSTITUTION.matcher(code.replace("\\\n", " ")).replaceAll("1");
        List<List<String>> commands = new ArrayList<>();
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean begun = false;
        char quote = 0;
        for (int i = 0; i <= text.length(); i++) {
            char c = i == text.length() ? '\n' : text.charAt(i);
            if (quote != 0) {
                if (c == quote) {
                    quote = 0;
                } else {
                    word.append(c);
                }
                continue;
            }
            if (c == '\'' || c == '"') {
                quote = c;
                begun = true;
                continue;
            }
            boolean duplicates = c == '&' && i > 0 && text.charAt(i - 1) == '>';
            boolean ends = "|&;\n".indexOf(c) >= 0 && !duplicates;
            if (!ends && !Character.isWhitespace(c) && !(c == '#' && !begun)) {
                word.append(c);
                begun = true;
                continue;
            }
            if (begun) {
                words.add(word.toString());
                word.setLength(0);
                begun = false;
            }
            if (c == '#') {
                i = text.indexOf('\n', i) < 0 ? text.length() : text.indexOf('\n', i);
                ends = true;
            }
            if (ends && !words.isEmpty()) {
                commands.add(withoutRedirections(words));
                words = new ArrayList<>();
            }
        }
        return commands;
    }

    private static List<String> withoutRedirections(List<String> words) {
        List<String> kept = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            if (words.get(i).matches("\\d?(>>?|<)")) {
                i++;
            } else if (!words.get(i).matches("\\d?(>>?|<)[^ ]+")) {
                kept.add(words.get(i));
            }
        }
        return kept;
    }

    /** Returns the arguments of each call of understudy, also of one behind {@code systemd-run} or {@code kubectl}. */
    static List<List<String>> understudy(String code) {
        List<List<String>> calls = new ArrayList<>();
        for (List<String> command : of(code)) {
            int from = 0;
            while (from < command.size() && !isProgram(command, from)) {
                from++;
            }
            if (from < command.size()) {
                calls.add(command.subList(from + 1, command.size()));
            }
        }
        return calls;
    }

    private static boolean isProgram(List<String> command, int at) {
        if (!PROGRAM.matcher(command.get(at)).matches()) {
            return false;
        }
        return at == 0
                || switch (command.get(0)) {
                    case "systemd-run" -> true;
                    case "kubectl" -> command.get(at - 1).equals("--");
                    default -> false;
                };
    }
}
