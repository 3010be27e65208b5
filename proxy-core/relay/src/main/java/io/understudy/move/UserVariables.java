package io.understudy.move;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Makes assignments of user variables that keep type, sign, scale and collation. */
final class UserVariables {
    private static final int TYPE_DOUBLE = 5;
    private static final int TYPE_LONGLONG = 8;
    private static final int TYPE_NEWDECIMAL = 246;
    private static final int UNSIGNED = 32;

    private UserVariables() {}

    /**
     * Returns a statement for the only row of {@link StateQueries#userVariable}.
     *
     * @param name quoted
     */
    static String assignment(String name, StateRows answer) {
        if (answer.rows().size() != 1 || answer.columns().isEmpty()) {
            throw NotMoved.unknownState("user variable " + name + " has no value or no type");
        }
        byte @Nullable [][] cells = answer.rows().get(0);
        byte[] bytes = cells[1];
        StateRows.Column column = answer.columns().get(0);
        // MySQL's CONVERT() leaves 22 characters of a double, which may be a digit too few.
        int shown = column.type() == TYPE_DOUBLE ? 0 : 2;
        return "SET @" + name + " = "
                + (bytes == null
                        ? "NULL"
                        : value(
                                column,
                                bytes,
                                StateRows.text(cells[shown]),
                                StateRows.text(cells[3]),
                                StateRows.text(cells[4])));
    }

    /**
     * Returns the literal of a double.
     *
     * @param text in the session's {@code character_set_results}, perhaps of several bytes a character
     */
    private static String number(@Nullable String text) {
        String digits = String.valueOf(text).replace("\0", "");
        return digits + (digits.indexOf('e') < 0 ? "e0" : "");
    }

    private static String value(
            StateRows.Column column,
            byte[] bytes,
            @Nullable String text,
            @Nullable String charset,
            @Nullable String collation) {
        return switch (column.type()) {
            case TYPE_LONGLONG -> "CAST(" + text + ((column.flags() & UNSIGNED) == 0 ? " AS SIGNED)" : " AS UNSIGNED)");
            case TYPE_DOUBLE -> number(text);
            case TYPE_NEWDECIMAL ->
                text != null && text.indexOf('.') < 0 ? "CAST(" + text + " AS DECIMAL(65, 0))" : String.valueOf(text);
            default -> {
                String literal = "_" + charset + " X'" + HexFormat.of().formatHex(bytes) + '\'';
                yield "binary".equals(charset) ? literal : literal + " COLLATE " + collation;
            }
        };
    }
}
