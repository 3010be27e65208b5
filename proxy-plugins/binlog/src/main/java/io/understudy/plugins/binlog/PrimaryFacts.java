package io.understudy.plugins.binlog;

import io.understudy.plugin.ServerFlavor;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The primary's settings, queried before the dump connection opens.
 *
 * @param flavor product
 * @param serverId its {@code server_id}
 * @param serverUuid MySQL's {@code server_uuid}; empty on MariaDB
 * @param logBin whether it writes a binary log
 * @param format {@code binlog_format}: ROW, STATEMENT or MIXED
 * @param gtids whether its transactions have GTIDs: always on MariaDB, with {@code gtid_mode=ON} on MySQL
 * @param position GTIDs in its binary log up to now: MariaDB {@code gtid_binlog_pos}, MySQL {@code gtid_executed}
 * @param logged what the position does not say of the binary log. MariaDB: {@code gtid_binlog_state}, the last
 *     transaction of each domain and of each server that wrote there, also of servers that were the primary before.
 *     MySQL: the numbers of {@code gtid_owned}, transactions in progress; with semi-synchronous replication they are in
 *     the binary log while they wait, and not in {@code gtid_executed} (wait point AFTER_SYNC). Empty where it is not
 *     known
 */
public record PrimaryFacts(
        ServerFlavor flavor,
        long serverId,
        String serverUuid,
        boolean logBin,
        String format,
        boolean gtids,
        String position,
        String logged) {
    /** Who owns a GTID: {@code uuid:57#12}. */
    private static final Pattern THREAD = Pattern.compile("#\\d+");

    /** Facts without {@code gtid_binlog_state}. */
    public PrimaryFacts(
            ServerFlavor flavor,
            long serverId,
            String serverUuid,
            boolean logBin,
            String format,
            boolean gtids,
            String position) {
        this(flavor, serverId, serverUuid, logBin, format, gtids, position, "");
    }

    /**
     * Returns the facts in the server's variables.
     *
     * @param variables by lower-case name, as {@code SHOW GLOBAL VARIABLES} returns them
     * @param whole the variable that is truncated there: {@code gtid_binlog_state}, MySQL's {@code gtid_executed}
     * @param owned MySQL's {@code gtid_owned}, queried before; empty on MariaDB
     */
    static PrimaryFacts of(Map<String, String> variables, String whole, String owned) {
        boolean mariadb =
                variables.getOrDefault("version", "").contains("MariaDB") || variables.containsKey("gtid_binlog_pos");
        String id = variables.getOrDefault("server_id", "0");
        return new PrimaryFacts(
                mariadb ? ServerFlavor.MARIADB : ServerFlavor.MYSQL,
                Long.parseUnsignedLong(id),
                variables.getOrDefault("server_uuid", ""),
                variables.getOrDefault("log_bin", "OFF").equalsIgnoreCase("ON"),
                variables.getOrDefault("binlog_format", "ROW"),
                mariadb || variables.getOrDefault("gtid_mode", "OFF").startsWith("ON"),
                mariadb ? variables.getOrDefault("gtid_binlog_pos", "") : whole,
                mariadb ? whole : THREAD.matcher(owned).replaceAll(""));
    }

    /** Returns the same facts at another position. */
    public PrimaryFacts at(String other) {
        return new PrimaryFacts(flavor, serverId, serverUuid, logBin, format, gtids, other, logged);
    }

    /** Returns whether {@code other} is the same server, whose history continues. */
    public boolean sameServer(PrimaryFacts other) {
        return flavor == other.flavor && serverId == other.serverId && serverUuid.equals(other.serverUuid);
    }
}
