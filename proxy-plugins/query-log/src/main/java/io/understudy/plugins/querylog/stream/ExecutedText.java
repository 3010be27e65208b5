package io.understudy.plugins.querylog.stream;

import io.understudy.sql.ParameterValues;
import io.understudy.sql.SingleLine;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A statement's bytes with what is needed to read them.
 *
 * @param text array that holds the text
 * @param offset of the text in the array
 * @param modes the session's bits of {@code io.understudy.sql.SqlModes}
 * @param values of an execution's parameters, or null for a statement without any
 */
record ExecutedText(
        byte[] text, int offset, int modes, @Nullable ParameterValues values) {

    int size() {
        ParameterValues own = values;
        return text.length - offset + (own == null ? 0 : own.size());
    }

    SingleLine.@Nullable Refusal write(SingleLine line, @Nullable LongUnaryOperator hash) {
        return line.write(text, offset, text.length - offset, modes, hash, values == null ? null : values.literals());
    }
}
