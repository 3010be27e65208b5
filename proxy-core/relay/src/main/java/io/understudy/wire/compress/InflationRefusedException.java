package io.understudy.wire.compress;

/** A compressed frame for which the process has no memory; the message says which limit. */
public final class InflationRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    InflationRefusedException(String message) {
        super(message);
    }
}
