package io.understudy.readiness;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The facts that one server gave in one reading. One thread fills it; another may read it before it is complete, when
 * the time is up.
 */
final class ServerFacts {
    private static final String LATE = "no response in time";

    private volatile @Nullable String unreachable = LATE;
    private volatile String fault = "";
    private volatile boolean denied;
    private volatile String ended = "";
    private volatile Known<Map<String, String>> variables = Known.late();
    private volatile Known<Map<String, String>> semiSync = Known.late();
    private volatile Known<List<Channel>> channels = Known.late();
    private volatile Known<List<OpenTransaction>> transactions = Known.late();
    private volatile List<SchemaChange> schemaChanges = List.of();
    private volatile Known<Definitions> definitions = Known.late();
    private volatile Known<Set<String>> prepared = Known.late();
    private volatile Known<FreeDisk> freeDisk = Known.late();
    private volatile Known<Map<String, String>> events = Known.late();
    private volatile Known<Map<String, AccountShape>> accounts = Known.late();

    void connected() {
        unreachable = null;
    }

    void failed(String reason, boolean loginDenied) {
        unreachable = reason;
        denied = loginDenied;
    }

    /** Stores that the gate itself has failed, which says nothing about the server. */
    void fault(Throwable cause) {
        fault = cause.toString();
    }

    /** Stores that the time was up before the server responded. */
    void late() {
        unreachable = LATE;
    }

    /** Stores the position that the server had reached when all of this had been read. */
    void ended(String position) {
        ended = position;
    }

    void variables(Known<Map<String, String>> read) {
        variables = read;
    }

    void semiSync(Known<Map<String, String>> read) {
        semiSync = read;
    }

    void channels(Known<List<Channel>> read) {
        channels = read;
    }

    void transactions(Known<List<OpenTransaction>> read) {
        transactions = read;
    }

    void schemaChanges(List<SchemaChange> read) {
        schemaChanges = read;
    }

    void definitions(Known<Definitions> read) {
        definitions = read;
    }

    void prepared(Known<Set<String>> read) {
        prepared = read;
    }

    void freeDisk(Known<FreeDisk> read) {
        freeDisk = read;
    }

    void events(Known<Map<String, String>> read) {
        events = read;
    }

    void accounts(Known<Map<String, AccountShape>> read) {
        accounts = read;
    }

    /** Returns why there was no connection, or null when there was one. */
    @Nullable
    String unreachable() {
        return unreachable;
    }

    /** Returns the position at the reading's end: whoever has applied that has all that was read. */
    String ended() {
        return ended;
    }

    /** Returns whether the server responded, and refused the account. */
    boolean denied() {
        return denied;
    }

    /** Returns how the gate itself failed; empty if it did not. */
    String fault() {
        return fault;
    }

    /** Returns whether the time was up before the server responded. */
    boolean isLate() {
        return LATE.equals(unreachable);
    }

    /** Returns whether the server responded to a query. */
    boolean responded() {
        return variables.value() != null;
    }

    /** Returns a system variable, or an empty text if it does not exist or the server did not respond. */
    String variable(String name) {
        Map<String, String> all = variables.value();
        return all == null ? "" : all.getOrDefault(name, "");
    }

    /** Returns the first of these variables that exists, or an empty text. */
    String variable(String name, String otherName) {
        String value = variable(name);
        return value.isEmpty() ? variable(otherName) : value;
    }

    /** Returns a variable as a number, or -1. */
    long number(String name) {
        try {
            return Long.parseLong(variable(name));
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    boolean hasVariable(String name) {
        Map<String, String> all = variables.value();
        return all != null && all.containsKey(name);
    }

    /** Returns the first two numbers of the version. */
    String series() {
        return variable("version").replaceAll("^(\\d+\\.\\d+).*", "$1");
    }

    boolean isMariaDb() {
        return variable("version").toLowerCase(Locale.ROOT).contains("mariadb");
    }

    /** Returns whether a switch is on. MariaDB 12 has several words for a {@code read_only} that is on. */
    static boolean isOn(String value) {
        return !value.isEmpty() && !value.equals("0") && !value.equalsIgnoreCase("OFF");
    }

    Known<Map<String, String>> variables() {
        return variables;
    }

    /** Returns a status variable of semi-synchronous replication by its name's end, such as {@code master_status}. */
    String semiSync(String name, String otherName) {
        Map<String, String> all = semiSync.value();
        if (all == null) {
            return "";
        }
        String value = all.get("rpl_semi_sync_" + name);
        return value == null ? all.getOrDefault("rpl_semi_sync_" + otherName, "") : value;
    }

    Known<List<Channel>> channels() {
        return channels;
    }

    Known<List<OpenTransaction>> transactions() {
        return transactions;
    }

    /** Returns the schema changes that it executes; empty also if the account may not see them. */
    List<SchemaChange> schemaChanges() {
        return schemaChanges;
    }

    /** Returns the states of the scheduled events by schema and name. */
    Known<Map<String, String>> events() {
        return events;
    }

    Known<Definitions> definitions() {
        return definitions;
    }

    /** Returns the names of the XA transactions that are prepared. */
    Known<Set<String>> prepared() {
        return prepared;
    }

    /** Returns the room on the file system of its data directory. */
    Known<FreeDisk> freeDisk() {
        return freeDisk;
    }

    Known<Map<String, AccountShape>> accounts() {
        return accounts;
    }
}
