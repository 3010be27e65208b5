package io.understudy.plugins.binlog;

/**
 * Where a transaction ends in the primary's binary log.
 *
 * @param file name of the file, without its directory
 * @param position bytes from the file's begin to the end of the transaction's last event
 */
public record BinlogEnd(String file, long position) {}
