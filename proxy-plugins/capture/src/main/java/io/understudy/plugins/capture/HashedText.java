package io.understudy.plugins.capture;

import io.understudy.sql.SingleLine;
import io.understudy.sql.SqlModes;
import java.util.Arrays;
import java.util.function.LongUnaryOperator;

/** Replaces the values of statements by hashes. Not thread-safe. */
final class HashedText {
    private final LongUnaryOperator hash;
    private final SingleLine line = new SingleLine();

    HashedText(LongUnaryOperator hash) {
        this.hash = hash;
    }

    /** Returns the text with hashes, empty if it is not certain which parts are values. */
    byte[] of(byte[] text, int modes) {
        // Rather hash a name than show a value.
        int sure = modes & ~SqlModes.ANSI_QUOTES;
        return line.write(text, 0, text.length, sure, hash, null) == null
                ? Arrays.copyOf(line.bytes(), line.length())
                : new byte[0];
    }
}
