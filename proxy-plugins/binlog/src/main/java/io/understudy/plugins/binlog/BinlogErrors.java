package io.understudy.plugins.binlog;

import java.sql.SQLException;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Translates the server's errors on a dump connection into reasons and remedies. */
final class BinlogErrors {
    private static final Pattern CODE = Pattern.compile("(?<!\\w)error (\\d{4,5})(?!\\w)");
    private static final int ER_ACCESS_DENIED = 1045;
    private static final String OF_ACCOUNT = "see the account of primary.monitor in /api/primary and in the log";
    /** The errors that the health of the account explains: login, limits of connections, privileges. */
    private static final Set<Integer> OF_ACCOUNTS =
            Set.of(1040, 1044, 1045, 1142, 1203, 1226, 1227, 1698, 1820, 1862, 3118, 3159, 3955, 4150, 4151);

    private static final int ER_MASTER_FATAL = 1236;
    private static final int ER_SPECIFIC_ACCESS_DENIED = 1227;
    private static final int ER_SAME_SERVER_ID = 4052;

    private BinlogErrors() {}

    /** @param message as passed to {@code io.understudy.plugin.ServerStream#onEnd}: {@code error 1227 (42000) …} */
    static BinlogTrouble.Reason reason(String message) {
        int code = code(message);
        return code == 0 ? BinlogTrouble.Reason.CONNECTION : reason(code, message);
    }

    /** Returns the number of the server's error in a message; 0 if there is none. */
    static int code(String message) {
        Matcher matcher = CODE.matcher(message);
        return matcher.find() ? Integer.parseInt(matcher.group(1)) : 0;
    }

    /** Returns the failure of a query as a message, with the number of the server's error if it sent one. */
    static String message(Exception failure) {
        for (Throwable at = failure; at != null; at = at.getCause() == at ? null : at.getCause()) {
            if (at instanceof SQLException sql && sql.getErrorCode() > 0) {
                return "error " + sql.getErrorCode() + ": " + failure.getMessage();
            }
        }
        return String.valueOf(failure.getMessage());
    }

    private static BinlogTrouble.Reason reason(int code, String message) {
        return switch (code) {
            case ER_ACCESS_DENIED, ER_SPECIFIC_ACCESS_DENIED -> BinlogTrouble.Reason.PRIVILEGE;
            case ER_SAME_SERVER_ID -> BinlogTrouble.Reason.SERVER_ID;
            case ER_MASTER_FATAL ->
                // MySQL and MariaDB before 10.10 use this code and distinguish it only by the text.
                message.contains("same server_uuid/server_id")
                        ? BinlogTrouble.Reason.SERVER_ID
                        : message.contains("Binary log is not open")
                                ? BinlogTrouble.Reason.BINLOG_OFF
                                : BinlogTrouble.Reason.SERVER;
            default -> BinlogTrouble.Reason.SERVER;
        };
    }

    /** @param message the failure, with the number of the server's error if it sent one */
    static String remedy(BinlogTrouble.Reason reason, String message) {
        if (reason == BinlogTrouble.Reason.CONNECTION && OF_ACCOUNTS.contains(code(message))) {
            return OF_ACCOUNT;
        }
        return switch (reason) {
            case PRIVILEGE -> "run on the primary: GRANT REPLICATION SLAVE ON *.* TO the account of primary.monitor";
            case BINLOG_OFF -> "start the primary with log_bin, without which nothing is replicated either";
            case GTID_OFF -> "set gtid_mode=ON and enforce_gtid_consistency=ON on the primary";
            case SERVER_ID -> "give plugins.commit-latency.serverId a number that no server has, or remove it";
            case CONNECTION -> "nothing to do if the primary was restarted";
            case SERVER -> "see the primary's error log";
            case MALFORMED -> "please report this with the server's version";
            case FAULT -> "please report this with what the proxy's log says of it";
        };
    }
}
