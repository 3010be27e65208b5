package io.understudy.layout;

import io.understudy.layout.Layout.Scope;
import io.understudy.terminal.Table;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleBinaryOperator;
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

    private interface Operation {
        @Nullable
        Object of(@Nullable Object one, @Nullable Object other);
    }

    /** @param rank those of a higher one bind more strongly */
    private record Operator(int rank, String sign, Operation operation) {}

    /** A sign comes before its own begin. */
    private static final List<Operator> OPERATORS = List.of(
            new Operator(0, "||", (one, other) -> Layout.truth(one) || Layout.truth(other)),
            new Operator(1, "&&", (one, other) -> Layout.truth(one) && Layout.truth(other)),
            new Operator(2, "==", Expression::same),
            new Operator(2, "!=", (one, other) -> !same(one, other)),
            new Operator(2, ">=", (one, other) -> Layout.number(one) >= Layout.number(other)),
            new Operator(2, ">", (one, other) -> Layout.number(one) > Layout.number(other)),
            new Operator(
                    3,
                    "+",
                    (one, other) -> one instanceof String || other instanceof String
                            ? String.valueOf(one) + other
                            : computed(one, other, Double::sum)),
            new Operator(3, "-", (one, other) -> computed(one, other, (a, b) -> a - b)),
            new Operator(4, "*", (one, other) -> computed(one, other, (a, b) -> a * b)),
            new Operator(4, "/", (one, other) -> computed(one, other, (a, b) -> a / b)));

    private static final int HIGHEST = 4;

    private final String text;
    private int at;
    private final Term term;
    private final String rest;

    /** Reads an expression, up to a colon if there is one. */
    Expression(String text) {
        this.text = text;
        term = operators(0);
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

    /** Reads operators of this rank, which may have operators of higher ones on both sides. */
    private Term operators(int rank) {
        if (rank > HIGHEST) {
            return simple();
        }
        Term left = operators(rank + 1);
        for (Operation each = next(rank); each != null; each = next(rank)) {
            Operation operation = each;
            Term one = left;
            Term other = operators(rank + 1);
            left = scope -> operation.of(one.of(scope), other.of(scope));
        }
        return left;
    }

    private @Nullable Operation next(int rank) {
        for (Operator each : OPERATORS) {
            if (each.rank == rank && next(each.sign)) {
                return each.operation;
            }
        }
        return null;
    }

    private static boolean same(@Nullable Object one, @Nullable Object other) {
        return one instanceof Number && other instanceof Number
                ? Layout.number(one) == Layout.number(other)
                : Objects.equals(one, other);
    }

    private static @Nullable Object computed(
            @Nullable Object one, @Nullable Object other, DoubleBinaryOperator operator) {
        return one == null || other == null ? null : operator.applyAsDouble(Layout.number(one), Layout.number(other));
    }

    private Term simple() {
        if (next("!")) {
            Term term = simple();
            return scope -> !Layout.truth(term.of(scope));
        } else if (next("(")) {
            Term term = operators(0);
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
            Term argument = operators(0);
            Term second = next(",") ? operators(0) : scope -> null;
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
