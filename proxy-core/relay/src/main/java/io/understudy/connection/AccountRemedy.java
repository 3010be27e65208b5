package io.understudy.connection;

import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * What mends an account that a server refuses, by the error's number (MySQL "Server Error Message Reference", MariaDB
 * "Error Codes"). Stateless.
 */
public final class AccountRemedy {
    private static final int ER_CON_COUNT = 1040;
    private static final int ER_DBACCESS_DENIED = 1044;
    private static final int ER_ACCESS_DENIED = 1045;
    private static final int ER_SERVER_SHUTDOWN = 1053;
    private static final int ER_HOST_IS_BLOCKED = 1129;
    private static final int ER_HOST_NOT_PRIVILEGED = 1130;
    private static final int ER_TABLEACCESS_DENIED = 1142;
    private static final int ER_TOO_MANY_USER_CONNECTIONS = 1203;
    private static final int ER_USER_LIMIT_REACHED = 1226;
    private static final int ER_SPECIFIC_ACCESS_DENIED = 1227;
    /** The driver's, of a plugin that it lacks: MySQL 9 asks one of a user that it does not have. */
    private static final int ER_NOT_SUPPORTED_AUTH_MODE = 1251;

    /** MariaDB: the account's hash is of the time before 4.1. */
    private static final int ER_SERVER_IS_IN_SECURE_AUTH_MODE = 1275;

    private static final int ER_PLUGIN_IS_NOT_LOADED = 1524;
    private static final int ER_ACCESS_DENIED_NO_PASSWORD = 1698;
    private static final int ER_MUST_CHANGE_PASSWORD = 1820;
    private static final int ER_MUST_CHANGE_PASSWORD_LOGIN = 1862;
    /** MariaDB. */
    private static final int ER_CONNECTION_KILLED = 1927;
    /** MySQL. */
    private static final int ER_SERVER_OFFLINE_MODE = 3032;

    /** MySQL; 4151 is MariaDB's. */
    private static final int ER_ACCOUNT_HAS_BEEN_LOCKED = 3118;

    private static final int ER_SECURE_TRANSPORT_REQUIRED = 3159;
    private static final int ER_BLOCKED_BY_PASSWORD_LOCK = 3955;
    private static final int ER_ACCOUNT_LOCKED_MARIADB = 4151;
    /** Too many wrong passwords, MariaDB. */
    private static final int ER_USER_IS_BLOCKED = 4150;

    private static final Set<Integer> OF_ACCOUNT = Set.of(
            ER_CON_COUNT,
            ER_DBACCESS_DENIED,
            ER_ACCESS_DENIED,
            ER_TABLEACCESS_DENIED,
            ER_TOO_MANY_USER_CONNECTIONS,
            ER_USER_LIMIT_REACHED,
            ER_SPECIFIC_ACCESS_DENIED,
            ER_NOT_SUPPORTED_AUTH_MODE,
            ER_PLUGIN_IS_NOT_LOADED,
            ER_ACCESS_DENIED_NO_PASSWORD,
            ER_MUST_CHANGE_PASSWORD,
            ER_MUST_CHANGE_PASSWORD_LOGIN,
            ER_ACCOUNT_HAS_BEEN_LOCKED,
            ER_SECURE_TRANSPORT_REQUIRED,
            ER_BLOCKED_BY_PASSWORD_LOCK,
            ER_USER_IS_BLOCKED,
            ER_ACCOUNT_LOCKED_MARIADB);

    private AccountRemedy() {}

    /** Returns whether the error is of an account: another one might be served. */
    public static boolean concerns(int code) {
        return OF_ACCOUNT.contains(code);
    }

    /** Returns whether user or password was refused, which a file with the new one mends. */
    public static boolean isPassword(int code) {
        return code == ER_ACCESS_DENIED || code == ER_ACCESS_DENIED_NO_PASSWORD || code == ER_NOT_SUPPORTED_AUTH_MODE;
    }

    /** Returns whether the server refused the login itself, and so everything that the account is for. */
    public static boolean isLogin(int code) {
        return code != ER_SPECIFIC_ACCESS_DENIED && code != ER_TABLEACCESS_DENIED && code != ER_DBACCESS_DENIED;
    }

    /** Returns whether a new login shows that it is over; a limit may be reached again by the next one. */
    public static boolean endsWithALogin(int code) {
        return isLogin(code)
                && code != ER_CON_COUNT
                && code != ER_TOO_MANY_USER_CONNECTIONS
                && code != ER_USER_LIMIT_REACHED;
    }

    /** Returns the same for an account that a standby refuses, with the server to do it on. */
    public static String ofStandby(int code, String error, String user, String key) {
        return of(code, error, user, key, true);
    }

    /**
     * Returns a change of an account that a standby refuses, with the server to do it on. Logged by the standby itself
     * it would be a transaction that the primary lacks, on which MariaDB's replication stops (ERROR 1950).
     */
    public static String onStandby(String statement) {
        return "on the primary, which replicates it (if only this standby refuses: there, behind SET SESSION"
                + " sql_log_bin = 0, else its replication may stop; MySQL: and between SET GLOBAL super_read_only = 0"
                + " and = 1): " + statement;
    }

    /**
     * Returns the statement, or what else to do.
     *
     * @param code 0 if the server has sent no error
     * @param error the server's message
     * @param key who has the account: its key of the configuration, such as {@code primary.monitor}
     */
    public static String of(int code, String error, String user, String key) {
        return of(code, error, user, key, false);
    }

    private static String of(int code, String error, String user, String key, boolean standby) {
        String account = "'" + user + "'@'%'";
        String host = "; for '%' put the account's host: SELECT host FROM mysql.user WHERE user = '" + user + "'";
        UnaryOperator<String> there = standby ? AccountRemedy::onStandby : UnaryOperator.identity();
        return switch (code) {
            case ER_ACCESS_DENIED, ER_ACCESS_DENIED_NO_PASSWORD ->
                "give " + key + " the account's password (a file's new content is taken up without a restart), or the"
                        + " account the one of " + key + ": "
                        + there.apply(newPassword(account) + ", or CREATE USER if it is gone")
                        + "; if it has REQUIRE SSL or X509: tls: { mode: required } for this server, with a certificate"
                        + host;
            case ER_NOT_SUPPORTED_AUTH_MODE ->
                "the account may not exist there, which MySQL hides, or has another plugin: "
                        + there.apply("CREATE USER " + account
                                + " IDENTIFIED WITH caching_sha2_password BY '…', or ALTER USER if it exists")
                        + "; or give " + key + " the account's user" + host;
            case ER_ACCOUNT_HAS_BEEN_LOCKED, ER_BLOCKED_BY_PASSWORD_LOCK, ER_ACCOUNT_LOCKED_MARIADB ->
                there.apply("ALTER USER " + account + " ACCOUNT UNLOCK") + host;
            case ER_USER_IS_BLOCKED -> "there FLUSH LOCAL PRIVILEGES, after the password is right";
            case ER_USER_LIMIT_REACHED ->
                there.apply("ALTER USER " + account + " WITH " + resource(error) + " 0") + host;
            case ER_TOO_MANY_USER_CONNECTIONS ->
                "there SET GLOBAL max_user_connections = 0, or "
                        + there.apply("ALTER USER " + account + " WITH MAX_USER_CONNECTIONS 20") + host;
            case ER_CON_COUNT -> "there SET GLOBAL max_connections to more, or end connections: the server is full";
            case ER_MUST_CHANGE_PASSWORD, ER_MUST_CHANGE_PASSWORD_LOGIN ->
                "the password has expired: "
                        + there.apply("ALTER USER " + account + " IDENTIFIED BY '…', and ALTER USER " + account
                                + " PASSWORD EXPIRE NEVER")
                        + host;
            case ER_SPECIFIC_ACCESS_DENIED, ER_TABLEACCESS_DENIED, ER_DBACCESS_DENIED ->
                there.apply("GRANT " + privileges(error) + " ON *.* TO " + account) + host;
            case ER_SECURE_TRANSPORT_REQUIRED -> "set tls: { mode: required } for this server";
            case ER_HOST_IS_BLOCKED ->
                "there FLUSH LOCAL HOSTS, on MySQL TRUNCATE TABLE performance_schema.host_cache"
                        + " (docs/health-checks.md)";
            case ER_HOST_NOT_PRIVILEGED ->
                "none may log in from this host: " + there.apply("CREATE USER " + account + " IDENTIFIED BY '…'");
            case ER_PLUGIN_IS_NOT_LOADED, ER_SERVER_IS_IN_SECURE_AUTH_MODE ->
                "the server does not have the account's authentication plugin: " + there.apply(newPassword(account))
                        + host;
            case ER_SERVER_OFFLINE_MODE -> "there SET GLOBAL offline_mode = 0, if the server is to serve";
            case ER_SERVER_SHUTDOWN, ER_CONNECTION_KILLED -> "the server is going down; it is tried again";
            case 0 -> "understudy check --connect tries it, and the files of tls";
            default -> "the server's error log may say more";
        };
    }

    /** MySQL keeps the account's plugin unless one is named, and MariaDB has none of that name. */
    private static String newPassword(String account) {
        return "ALTER USER " + account + " IDENTIFIED BY '…' (MySQL, if it has another plugin: IDENTIFIED WITH"
                + " caching_sha2_password BY '…')";
    }

    /** The limit's name in GRANT's and ALTER USER's syntax; servers name it by its column. */
    private static String resource(String error) {
        String lower = error.toLowerCase(Locale.ROOT);
        if (lower.contains("connections_per_hour")) {
            return "MAX_CONNECTIONS_PER_HOUR";
        }
        if (lower.contains("max_questions") || lower.contains("queries_per_hour")) {
            return "MAX_QUERIES_PER_HOUR";
        }
        return lower.contains("max_updates") ? "MAX_UPDATES_PER_HOUR" : "MAX_USER_CONNECTIONS";
    }

    /** The one that the server asks for, of several the first: "you need (at least one of) the … privilege(s)". */
    private static String privileges(String error) {
        int from = error.indexOf("the ");
        int to = error.indexOf(" privilege", Math.max(0, from));
        if (error.contains("you need") && from >= 0 && to > from) {
            return error.substring(from + "the ".length(), to).split(",", 2)[0].strip();
        }
        return error.startsWith("SELECT") ? "SELECT" : "what check --connect lists";
    }
}
