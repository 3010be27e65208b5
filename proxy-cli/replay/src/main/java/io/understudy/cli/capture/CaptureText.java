package io.understudy.cli.capture;

import java.util.Map;

/** A capture's figures for people. */
final class CaptureText {
    private CaptureText() {}

    static String state(Map<String, Object> view) {
        StringBuilder out = new StringBuilder();
        view.forEach((name, value) -> out.append(String.format("%-13s %s%n", name, text(value))));
        return out.toString();
    }

    private static String text(Object value) {
        if (value instanceof Map<?, ?> counts) {
            return counts.isEmpty() ? "none" : counts.toString().replaceAll("[{}]", "");
        }
        return String.valueOf(value);
    }
}
