package io.understudy.plugins.blackbox.history;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.servers.GtidNumbers;
import io.understudy.servers.MariaDbGtid;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A global transaction id.
 *
 * @param source numbering to which {@code number} belongs: MySQL's UUID, with {@code :tag} if it has one; MariaDB's
 *     domain
 * @param domain MariaDB's; 0 on MySQL
 * @param server MariaDB's server that wrote it first; 0 on MySQL
 */
public record Gtid(String source, long domain, long server, long number) {
    /** Returns it as the servers write it. Not kept: it would be the largest part of what is kept of a transaction. */
    public String text() {
        return server == 0 ? source + ":" + number : source + "-" + server + "-" + Long.toUnsignedString(number);
    }

    /** Returns the transaction's GTID, or null for an anonymous transaction. */
    public static @Nullable Gtid of(ServerFlavor flavor, BinlogTransaction transaction) {
        String text = transaction.gtid();
        if (text == null) {
            return null;
        }
        boolean mariadb = flavor == ServerFlavor.MARIADB;
        return new Gtid(
                mariadb
                        ? source(transaction.domain())
                        : text.substring(0, text.lastIndexOf(':')).intern(),
                transaction.domain(),
                mariadb ? transaction.serverId() : 0,
                transaction.sequence());
    }

    /**
     * Parses the GTIDs of an OK_Packet: one on MariaDB, a set on MySQL.
     *
     * @throws IllegalArgumentException if the text is no GTID
     */
    public static List<Gtid> parseAll(ServerFlavor flavor, String text) {
        if (flavor == ServerFlavor.MARIADB) {
            return List.of(of(MariaDbGtid.parse(text)));
        }
        return GtidNumbers.ofMySql(text).list(MAX_LISTED, (source, number) -> new Gtid(source.intern(), 0, 0, number));
    }

    /** A command that commits more is a procedure; its further transactions are not listed one by one. */
    private static final int MAX_LISTED = 10_000;

    private static Gtid of(MariaDbGtid gtid) {
        return new Gtid(source(gtid.domain()), gtid.domain(), gtid.server(), gtid.sequence());
    }

    /**
     * Parses GTIDs with commas between them: MariaDB's positions.
     *
     * @throws IllegalArgumentException if the text is no position
     */
    public static List<Gtid> mariaDbPosition(String text) {
        return MariaDbGtid.list(text).stream().map(Gtid::of).toList();
    }

    /** Avoids a new string for domain 0, which nearly all transactions have. */
    static String source(long domain) {
        return domain == 0 ? "0" : Long.toString(domain);
    }
}
