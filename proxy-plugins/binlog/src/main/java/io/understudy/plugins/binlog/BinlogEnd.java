package io.understudy.plugins.binlog;

/**
 * Where a transaction ends in the primary's binary log.
 *
 * @param file name of the file, without its directory
 * @param position bytes from the file's begin to the end of the transaction's last event
 */
public record BinlogEnd(String file, long position) {
    /** Returns whether a file of this name precedes this one. The numbers at their ends grow, also in length. */
    public boolean isBehind(String other) {
        return other.length() != file.length() ? other.length() < file.length() : other.compareTo(file) < 0;
    }
}
