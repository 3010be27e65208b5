package io.understudy.plugins.mirror.tables;

import io.understudy.plugin.ResponseView;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An error response of a standby, made fit for display. A server's message may contain values of the statement
 * ({@code Incorrect datetime value: '…'}, {@code … near '…'}) or the text of a stored program; quoted text stays only
 * for errors that can quote nothing but names.
 *
 * @param code the server's error number
 * @param text its message without values
 */
public record StandbyError(int code, String text) {
    private static final int LONGEST = 200;
    private static final int KEPT = 2048;
    private static final Pattern QUOTED = Pattern.compile("['\"`].*['\"`]", Pattern.DOTALL);
    private static final Pattern OPEN = Pattern.compile("['\"`].*", Pattern.DOTALL);
    private static final Pattern NUMBER = Pattern.compile("[0-9]++(?:[.,][0-9]++)*+");
    private static final Pattern NAMES_ONLY = Pattern.compile("[\\w$@%.\\-:*/\\s'`\",()\\[\\];]*+");

    public static @Nullable StandbyError of(ResponseView response) {
        String message = response.errorMessage();
        return response.ok() ? null : of(response.errorCode(), message == null ? "" : message);
    }

    public static StandbyError of(int code, String message) {
        String kept = message.length() > KEPT ? message.substring(0, KEPT) : message;
        if (isMadeUp(code)) {
            return new StandbyError(code, "a message that a stored program has given");
        }
        String text = namesOnly(code) && NAMES_ONLY.matcher(kept).matches() ? kept : withoutValues(kept);
        return new StandbyError(code, text.length() > LONGEST ? text.substring(0, LONGEST) + "…" : text);
    }

    /**
     * Returns whether the message is free text: SIGNAL without a number, and errors whose text the server takes from
     * elsewhere.
     */
    private static boolean isMadeUp(int code) {
        return switch (code) {
            case 1105, 1642, 1643, 1644, 1645 -> true;
            default -> false;
        };
    }

    /**
     * Returns whether the error quotes only accounts, schemas, tables, columns of grants, routines or settings, and no
     * value of a statement.
     */
    private static boolean namesOnly(int code) {
        return switch (code) {
            case 1044, 1045, 1049, 1115, 1142, 1143, 1146, 1193, 1203, 1226, 1227, 1273, 1290, 1345, 1356, 1370 -> true;
            default -> false;
        };
    }

    /** Returns whether the account lacks a privilege: also 1356, which may stand for the tables of a view. */
    public boolean lacksPrivilege() {
        return switch (code) {
            case 1044, 1045, 1142, 1143, 1227, 1356, 1370 -> true;
            default -> false;
        };
    }

    private static String withoutValues(String message) {
        Matcher quoted = QUOTED.matcher(message);
        String text = quoted.find()
                ? quoted.replaceFirst(Matcher.quoteReplacement("'?'"))
                : OPEN.matcher(message).replaceFirst("'?'");
        return NUMBER.matcher(text).replaceAll("?");
    }
}
