package io.understudy.plugins.blackbox.log;

import java.io.IOException;

/**
 * Where a transaction is in the log.
 *
 * @param offset of its record
 * @param length bytes of the record's body
 */
public record LogPlace(Segment segment, int offset, int length) {
    /** Reads the transaction's events. Thread-safe. */
    public byte[] read() throws IOException {
        return LogRecord.events(segment.read(offset, length));
    }

    /** Called once when the transaction is needed no longer: its segment may be deleted with the last one. */
    public void release() {
        segment.release();
    }
}
