package io.understudy.layout;

import io.understudy.layout.Layout.Part;
import io.understudy.layout.Layout.Scope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Reads a template into parts. */
final class TemplateReader {
    private final List<String> tokens = new ArrayList<>();
    private final Map<String, Part> named = new HashMap<>();
    private int at;

    TemplateReader(String template) {
        template.replaceAll("\\\\\n[ \t]*", "").lines().forEach(this::split);
    }

    /** Returns the whole template. */
    Part read() {
        Part all = block();
        if (at < tokens.size()) {
            throw new IllegalArgumentException("a layout has " + tokens.get(at) + " with nothing to end");
        }
        return all;
    }

    /** Adds a line's tokens: tags with their opening brace, and texts. */
    private void split(String line) {
        int first = tokens.size();
        boolean text = line.isBlank();
        int from = 0;
        while (from < line.length()) {
            int open = line.indexOf('{', from);
            int end = open < 0 ? line.length() : open;
            if (end > from) {
                tokens.add(line.substring(from, end));
                text |= !line.substring(from, end).isBlank();
            }
            if (open < 0) {
                break;
            }
            if (line.startsWith("{{", open)) {
                tokens.add("\\{");
                text = true;
                from = open + 2;
                continue;
            }
            int close = closing(line, open);
            tokens.add(line.substring(open, close));
            text |= "?#:/=>".indexOf(line.charAt(open + 1)) < 0;
            from = close + 1;
        }
        if (text && !line.startsWith("{=")) {
            tokens.add("\n");
        } else if (!text) {
            tokens.subList(first, tokens.size()).removeIf(String::isBlank);
        }
    }

    private static int closing(String line, int open) {
        boolean quoted = false;
        for (int i = open; i < line.length(); i++) {
            char c = line.charAt(i);
            quoted ^= c == '\'';
            if (c == '}' && !quoted) {
                return i;
            }
        }
        throw new IllegalArgumentException("a layout's line has a brace that is not closed: " + line);
    }

    /** Reads up to the end, or to the tag that ends the part or begins another one. */
    private Part block() {
        List<Part> parts = new ArrayList<>();
        while (at < tokens.size()
                && !tokens.get(at).equals("{/")
                && !tokens.get(at).equals("{:")) {
            String token = tokens.get(at++);
            if (token.startsWith("{")) {
                parts.add(tag(token.substring(1)));
            } else {
                String text = token.equals("\\{") ? "{" : token;
                parts.add((scope, out) -> out.append(text));
            }
        }
        return (scope, out) -> parts.forEach(part -> part.write(scope, out));
    }

    private Part tag(String tag) {
        if (tag.isEmpty()) {
            throw new IllegalArgumentException("a layout has an empty tag");
        }
        String rest = tag.substring(1).strip();
        return switch (tag.charAt(0)) {
            case '?' -> choice(new Expression(rest));
            case '#' -> repetition(rest);
            case '=' -> {
                named.put(rest, block());
                end();
                yield (scope, out) -> {};
            }
            case '>' -> {
                String[] words = rest.split(" ", 2);
                Expression value = new Expression(words[1]);
                yield (scope, out) -> Objects.requireNonNull(named.get(words[0]), words[0])
                        .write(new Scope(value.of(scope), scope, scope.number()), out);
            }
            default -> value(tag);
        };
    }

    private Part choice(Expression condition) {
        Part yes = block();
        Part no = (scope, out) -> {};
        if (at < tokens.size() && tokens.get(at).equals("{:")) {
            at++;
            no = block();
        }
        end();
        Part otherwise = no;
        return (scope, out) -> (Layout.truth(condition.of(scope)) ? yes : otherwise).write(scope, out);
    }

    private Part repetition(String rest) {
        int space = rest.lastIndexOf(' ');
        boolean limited = space > 0 && rest.substring(space + 1).matches("\\d+");
        int most = limited ? Integer.parseInt(rest.substring(space + 1)) : Integer.MAX_VALUE;
        Expression list = new Expression(limited ? rest.substring(0, space) : rest);
        Part body = block();
        end();
        return (scope, out) -> {
            int number = 0;
            for (Object element : Layout.elements(list.of(scope))) {
                if (number++ == most) {
                    break;
                }
                body.write(new Scope(element, scope, number), out);
            }
        };
    }

    private static Part value(String tag) {
        Expression value = new Expression(tag);
        String[] formatted = value.rest().split("\\|", 2);
        String format = formatted[0];
        char kind = format.isEmpty() ? 's' : format.charAt(format.length() - 1);
        String text = kind == 'd' || kind == 'f' ? "%" + format : "%" + format + "s";
        String width = format.replaceAll("\\.\\d+|[,df]", "");
        return (at, out) -> {
            Object found = value.of(at);
            if (found == null && formatted.length > 1) {
                out.append(String.format("%" + width + "s", formatted[1]));
            } else if (kind == 'd') {
                out.append(String.format(Locale.ROOT, text, (long) Layout.number(found)));
            } else if (kind == 'f') {
                out.append(String.format(Locale.ROOT, text, Layout.number(found)));
            } else {
                out.append(String.format(text, Layout.shown(found)));
            }
        };
    }

    private void end() {
        if (at == tokens.size() || !tokens.get(at).equals("{/")) {
            throw new IllegalArgumentException("a layout has a part without {/}");
        }
        at++;
    }
}
