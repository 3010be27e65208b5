package io.understudy.layout;

import io.understudy.layout.Layout.Scope;
import io.understudy.terminal.Table;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An expression of a {@link Layout}: names with dots, numbers, {@code 'texts'}, {@code true}, {@code false}; {@code !},
 * {@code * / + -} (of which {@code +} joins texts too), comparisons, {@code && ||}, brackets, and functions:
 * {@code size}, {@code last}, {@code join} and {@code any} of a list, {@code counts}, {@code values}, {@code entries},
 * {@code without} and {@code has} of a map, {@code words}, {@code cut} and {@code blank} of a text, {@code whole} and
 * {@code max} of a number, {@code known} and {@code number} of anything. What is missing stays missing in arithmetic,
 * and is 0 in a comparison of sizes.
 */
final class Expression {
    private interface Term {
        @Nullable
        Object of(Scope at);
    }

    private final String text;
    private int at;
    private final Term term;
    private final String rest;

    /** Reads an expression, up to a colon if there is one. */
    Expression(String text) {
        this.text = text;
        term = either();
        if (at < text.length() && text.charAt(at) != ':' && text.charAt(at) != '|') {
            throw new IllegalArgumentException("a layout's expression has a wrong end: " + text);
        }
        rest = at == text.length() ? "" : text.substring(text.charAt(at) == ':' ? at + 1 : at);
    }

    @Nullable
    Object of(Scope scope) {
        return term.of(scope);
    }

    /** Returns what follows the expression. */
    String rest() {
        return rest;
    }

    private boolean next(String token) {
        while (at < text.length() && text.charAt(at) == ' ') {
            at++;
        }
        boolean found = text.startsWith(token, at);
        at += found ? token.length() : 0;
        return found;
    }

    private Term either() {
        Term left = both();
        while (next("||")) {
            Term one = left;
            Term other = both();
            left = scope -> Layout.truth(one.of(scope)) || Layout.truth(other.of(scope));
        }
        return left;
    }

    private Term both() {
        Term left = comparison();
        while (next("&&")) {
            Term one = left;
            Term other = comparison();
            left = scope -> Layout.truth(one.of(scope)) && Layout.truth(other.of(scope));
        }
        return left;
    }

    private Term comparison() {
        Term left = sum();
        if (next("==")) {
            Term right = sum();
            return scope -> same(left.of(scope), right.of(scope));
        } else if (next("!=")) {
            Term right = sum();
            return scope -> !same(left.of(scope), right.of(scope));
        } else if (next(">=")) {
            Term right = sum();
            return scope -> Layout.number(left.of(scope)) >= Layout.number(right.of(scope));
        } else if (next(">")) {
            Term right = sum();
            return scope -> Layout.number(left.of(scope)) > Layout.number(right.of(scope));
        }
        return left;
    }

    private static boolean same(@Nullable Object one, @Nullable Object other) {
        return one instanceof Number && other instanceof Number
                ? Layout.number(one) == Layout.number(other)
                : Objects.equals(one, other);
    }

    private Term sum() {
        Term left = product();
        while (true) {
            if (next("+")) {
                left = joined(left, product());
            } else if (next("-")) {
                left = computed(left, product(), (one, other) -> one - other);
            } else {
                return left;
            }
        }
    }

    private static Term joined(Term one, Term other) {
        Term sum = computed(one, other, Double::sum);
        return scope -> {
            Object left = one.of(scope);
            Object right = other.of(scope);
            return left instanceof String || right instanceof String ? String.valueOf(left) + right : sum.of(scope);
        };
    }

    private Term product() {
        Term left = simple();
        while (true) {
            if (next("*")) {
                left = computed(left, simple(), (one, other) -> one * other);
            } else if (next("/")) {
                left = computed(left, simple(), (one, other) -> one / other);
            } else {
                return left;
            }
        }
    }

    private static Term computed(Term one, Term other, BinaryOperator<Double> operator) {
        return scope -> {
            Object left = one.of(scope);
            Object right = other.of(scope);
            return left == null || right == null ? null : operator.apply(Layout.number(left), Layout.number(right));
        };
    }

    private Term simple() {
        if (next("!")) {
            Term term = simple();
            return scope -> !Layout.truth(term.of(scope));
        } else if (next("(")) {
            Term term = either();
            close();
            return term;
        } else if (next("'")) {
            int end = text.indexOf('\'', at);
            String value = text.substring(at, end);
            at = end + 1;
            return scope -> value;
        } else if (next("^")) {
            Term outside = simple();
            return scope -> outside.of(Objects.requireNonNull(scope.outer(), text));
        } else if (next("@")) {
            return scope -> scope.number();
        }
        int begin = at;
        while (at < text.length() && isNamePart(text.charAt(at))) {
            at++;
        }
        return named(text.substring(begin, at));
    }

    private static boolean isNamePart(char c) {
        return Character.isLetterOrDigit(c) || c == '.' || c == '_';
    }

    private Term named(String name) {
        if (next("(")) {
            Term argument = either();
            Term second = next(",") ? either() : scope -> null;
            close();
            return scope -> function(name, argument.of(scope), second.of(scope));
        } else if (name.matches("[\\d.]*\\d")) {
            double value = Double.parseDouble(name);
            return scope -> value;
        } else if (name.equals("true") || name.equals("false")) {
            return scope -> Boolean.valueOf(name);
        } else if (name.isEmpty()) {
            throw new IllegalArgumentException("a layout's expression lacks a value: " + text);
        }
        return name.equals(".") ? Scope::item : scope -> value(scope.item(), name);
    }

    private static @Nullable Object value(@Nullable Object from, String name) {
        Object value = from;
        for (String part : name.split("\\.")) {
            value = value instanceof Map<?, ?> map ? map.get(part) : null;
        }
        return value;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(@Nullable Object value) {
        return value instanceof Map<?, ?> map ? (Map<String, Object>) map : Map.of();
    }

    private static @Nullable Object function(String name, @Nullable Object value, @Nullable Object second) {
        return switch (name) {
            case "size" ->
                value instanceof Map<?, ?> map
                        ? map.size()
                        : Layout.elements(value).size();
            case "last" -> {
                List<?> all = Layout.elements(value);
                yield all.subList(Math.max(0, all.size() - (int) Layout.number(second)), all.size());
            }
            case "join" ->
                Layout.elements(value).stream()
                        .map(String::valueOf)
                        .collect(Collectors.joining(second == null ? ", " : second.toString()));
            case "any" -> Layout.elements(value).stream().anyMatch(row -> map(row).containsKey(second));
            case "counts" -> Table.counts(map(value));
            case "values" ->
                map(value).values().stream()
                        .filter(Objects::nonNull)
                        .map(String::valueOf)
                        .collect(Collectors.joining(" "));
            case "entries" ->
                map(value).entrySet().stream()
                        .map(entry -> Map.of(
                                "key", entry.getKey(), "value", Objects.requireNonNullElse(entry.getValue(), "null")))
                        .toList();
            case "without" -> {
                Map<String, Object> others = new LinkedHashMap<>(map(value));
                others.remove(second);
                yield others;
            }
            case "has" -> map(value).containsKey(second);
            case "known" -> value != null;
            case "number" -> value instanceof Number;
            case "whole" -> (long) Layout.number(value);
            case "max" -> Math.max(Layout.number(value), Layout.number(second));
            case "blank" -> String.valueOf(value).isBlank();
            case "words" -> String.valueOf(value).replace('_', ' ');
            case "cut" -> {
                String text = String.valueOf(value);
                int most = (int) Layout.number(second);
                yield text.length() <= most ? text : text.substring(0, most - 1) + "…";
            }
            default -> throw new IllegalArgumentException("a layout has no function " + name);
        };
    }

    private void close() {
        if (!next(")")) {
            throw new IllegalArgumentException("a layout's expression has a bracket that is not closed: " + text);
        }
    }
}
