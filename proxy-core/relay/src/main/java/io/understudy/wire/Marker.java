package io.understudy.wire;

/** First payload bytes that tell the packets of a response apart. */
public final class Marker {
    public static final int OK = 0x00;
    public static final int AUTH_MORE_DATA = 0x01;
    /** MySQL's multi-factor authentication: the next method, in the format of an AuthSwitchRequest. */
    public static final int AUTH_NEXT_FACTOR = 0x02;

    public static final int LOCAL_INFILE = 0xFB;
    public static final int EOF = 0xFE;
    public static final int AUTH_SWITCH = 0xFE;
    public static final int ERR = 0xFF;
    /** Error code that marks an ERR packet as MariaDB's progress report instead of an error. */
    public static final int PROGRESS_CODE = 0xFFFF;

    private Marker() {}
}
