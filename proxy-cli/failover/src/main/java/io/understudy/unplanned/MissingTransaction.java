package io.understudy.unplanned;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogTransaction;

/**
 * A transaction of a rescue file.
 *
 * @param summary its GTID, kind and numbers
 * @param format the format description event that precedes it
 * @param offset in the spool
 * @param length in bytes, of all its events
 */
record MissingTransaction(ServerFlavor flavor, BinlogTransaction summary, byte[] format, long offset, int length) {
    String gtid() {
        return String.valueOf(summary.gtid());
    }

    /** Returns the numbering to which its sequence belongs: MariaDB's domain, MySQL's UUID and tag. */
    String source() {
        String gtid = gtid();
        return flavor == ServerFlavor.MARIADB
                ? Long.toString(summary.domain())
                : gtid.substring(0, gtid.lastIndexOf(':'));
    }
}
