package io.understudy.replay.log;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An execution of a prepared statement.
 *
 * <p>Source: MySQL source documentation, COM_STMT_EXECUTE.
 *
 * @param payload of the captured command, without its code
 * @param parameters number of the statement's parameters
 * @param types of the parameters, two bytes each, for a payload without; or null
 */
public record Execution(byte[] payload, int parameters, byte @Nullable [] types) {
    private static final int FLAGS_AT = 4;
    private static final int BODY_AT = 9;
    private static final int PARAMETER_COUNT_AVAILABLE = 8;

    /**
     * Returns the payload for a statement id on another server, without a cursor and with all types.
     *
     * @return null when the types are not known, or the payload is not that of an execution
     */
    public byte @Nullable [] payloadFor(int id) {
        if (payload.length < BODY_AT || (payload[FLAGS_AT] & PARAMETER_COUNT_AVAILABLE) != 0) {
            return null;
        }
        int boundAt = BODY_AT + (parameters + 7) / 8;
        byte[] out = payload.clone();
        if (parameters > 0) {
            if (boundAt >= payload.length) {
                return null;
            }
            if (payload[boundAt] == 0) {
                if (types == null || types.length != parameters * 2) {
                    return null;
                }
                out = Arrays.copyOf(payload, payload.length + types.length);
                out[boundAt] = 1;
                System.arraycopy(types, 0, out, boundAt + 1, types.length);
                System.arraycopy(payload, boundAt + 1, out, boundAt + 1 + types.length, payload.length - boundAt - 1);
            }
        }
        for (int i = 0; i < FLAGS_AT; i++) {
            out[i] = (byte) (id >>> i * Byte.SIZE);
        }
        out[FLAGS_AT] = 0;
        return out;
    }

    /** Returns the types that the payload itself has, or null. */
    byte @Nullable [] ownTypes() {
        int boundAt = BODY_AT + (parameters + 7) / 8;
        boolean given = parameters > 0 && payload.length > boundAt + parameters * 2 && payload[boundAt] == 1;
        return given ? Arrays.copyOfRange(payload, boundAt + 1, boundAt + 1 + parameters * 2) : null;
    }

    int statementId() {
        int id = 0;
        for (int i = FLAGS_AT - 1; i >= 0 && payload.length >= FLAGS_AT; i--) {
            id = id << Byte.SIZE | payload[i] & 0xFF;
        }
        return id;
    }
}
