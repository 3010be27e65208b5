package io.understudy.layout;

import io.understudy.base.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A view's text, by a template. In a template,
 *
 * <ul>
 *   <li><code>{EXPR}</code> and <code>{EXPR:FORMAT}</code> are a value, FORMAT being that of {@link String#format}
 *       without the per cent sign; <code>{EXPR:FORMAT|TEXT}</code> has TEXT in place of a missing one, which otherwise
 *       is 0 as a number;
 *   <li><code>{?EXPR}…{:}…{/}</code> is a part that the value decides about: 0, an empty text, an empty list and
 *       {@code false} are no;
 *   <li><code>{#EXPR N}…{/}</code> repeats for each element of a list, of which N are shown if N is given; once for a
 *       map that is not empty. Names inside are those of the element; {@code ^name} is one outside of it, {@code .} the
 *       element itself, {@code @} its number;
 *   <li><code>{=NAME}…{/}</code> names a part, and <code>{>NAME EXPR}</code> shows it for a value;
 *   <li>a line of nothing but such tags is none, a backslash continues a line on the next one, and <code>{{</code> is a
 *       brace.
 * </ul>
 *
 * Expressions: see {@link Expression}. Stateless.
 */
public final class Layout {
    /** A part of a template. */
    interface Part {
        void write(Scope at, StringBuilder out);
    }

    /** An element, and the one around it. */
    record Scope(@Nullable Object item, @Nullable Scope outer, int number) {}

    private final Part root;

    Layout(String template) {
        root = new TemplateReader(template).read();
    }

    /** Returns the layout in the file {@code NAME.txt} beside a class. */
    public static Layout beside(Class<?> type, String name) {
        try (InputStream in = type.getResourceAsStream(name + ".txt")) {
            if (in == null) {
                throw new IllegalArgumentException("no layout " + name + " beside " + type);
            }
            return new Layout(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the text for a view. */
    public String text(Map<String, ?> view) {
        StringBuilder out = new StringBuilder();
        root.write(new Scope(view, null, 0), out);
        return out.toString().lines().map(line -> line.stripTrailing() + "\n").collect(Collectors.joining());
    }

    /** Returns the elements to show: those of a list, or a map that is not empty. */
    static List<?> elements(@Nullable Object value) {
        return value instanceof List<?> list ? list : truth(value) ? List.of(value) : List.of();
    }

    static boolean truth(@Nullable Object value) {
        return value instanceof Boolean yes
                ? yes
                : value instanceof Number number
                        ? number.doubleValue() != 0
                        : value instanceof List<?> list
                                ? !list.isEmpty()
                                : value instanceof Map<?, ?> map ? !map.isEmpty() : value != null && !value.equals("");
    }

    static double number(@Nullable Object value) {
        return value instanceof Number number ? number.doubleValue() : 0;
    }

    /** Returns a value as text. What comes from outside cannot add a line, nor steer the terminal. */
    static String shown(@Nullable Object value) {
        String text = String.valueOf(value);
        return value instanceof Double && text.indexOf('E') > 0
                ? new BigDecimal(text).stripTrailingZeros().toPlainString()
                : Printable.of(text);
    }
}
