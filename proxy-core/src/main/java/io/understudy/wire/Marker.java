package io.understudy.wire;

/** First payload bytes that decide what a packet of an answer is. */
public final class Marker {
    public static final int OK = 0x00;
    public static final int AUTH_MORE_DATA = 0x01;
    /** MySQL's multi-factor authentication: the next method, in the form of a switch request. */
    public static final int AUTH_NEXT_FACTOR = 0x02;

    public static final int LOCAL_INFILE = 0xFB;
    public static final int EOF = 0xFE;
    public static final int AUTH_SWITCH = 0xFE;
    public static final int ERR = 0xFF;
    /** Error code in an ERR packet that is no error but MariaDB's progress report. */
    public static final int PROGRESS_CODE = 0xFFFF;

    private Marker() {}
}
