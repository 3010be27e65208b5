package io.understudy.connection;

import io.understudy.wire.packet.ErrPacket;

/** Remedies for error numbers with which a server rejects a login. */
final class LoginAdvice {
    private LoginAdvice() {}

    /** Returns the server's message and the remedy. */
    static String explain(ErrPacket err) {
        return "error " + err.code() + " (" + err.sqlState() + ") " + err.message() + "; " + remedy(err.code());
    }

    // Error numbers: MySQL "Server Error Message Reference"; MariaDB has the same where it has them.
    private static String remedy(int code) {
        return switch (code) {
            case 1040, 1203, 1226 -> "raise the server's or the account's connection limit, or use fewer connections";
            case 1044, 1045, 1698 ->
                "check user and password in the configuration, and that the account exists for the proxy's host";
            case 1129 -> "run FLUSH HOSTS on the server";
            case 1130 -> "create the account for the host that the proxy connects from";
            case 1053, 1927 -> "the server is going down; it is tried again";
            case 1820, 1862 -> "give the account a new password: ALTER USER";
            case 1524 -> "install the authentication plugin on the server or give the account another one";
            case 3118, 4151 -> "unlock the account: ALTER USER ... ACCOUNT UNLOCK";
            case 3159, 3024 -> "set tls: { mode: required } for this server";
            default -> "see the server's error log";
        };
    }
}
