package io.understudy.readiness;

import io.understudy.plugin.ServerFlavor;
import io.understudy.readiness.AccountReader.AccountShape;
import io.understudy.readiness.DefinitionsReader.Definitions;
import io.understudy.servers.Dialect;
import io.understudy.servers.GtidNumbers;
import io.understudy.servers.Identity;
import io.understudy.servers.ReplicaStatus;
import io.understudy.servers.SemiSyncVariables;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The facts that one server gave in one reading. One thread fills it; another may read it before it is complete, when
 * the time is up.
 */
final class ServerFacts {
    static final Fact<Map<String, String>> VARIABLES = new Fact<>();
    static final Fact<Map<String, String>> SEMI_SYNC = new Fact<>();
    static final Fact<List<ReplicaStatus>> CHANNELS = new Fact<>();
    static final Fact<List<OpenTransaction>> TRANSACTIONS = new Fact<>();
    static final Fact<Definitions> DEFINITIONS = new Fact<>();
    /** The names of the XA transactions that are prepared. */
    static final Fact<Set<String>> PREPARED = new Fact<>();
    /** The room on the file system of its data directory. */
    static final Fact<FreeDisk> FREE_DISK = new Fact<>();
    /** The states of the scheduled events by schema and name. */
    static final Fact<Map<String, String>> EVENTS = new Fact<>();

    static final Fact<Map<String, AccountShape>> ACCOUNTS = new Fact<>();
    static final Fact<List<SchemaChange>> SCHEMA_CHANGES = new Fact<>();
    static final Fact<String> POSITION = new Fact<>();

    /** The name of a fact of a type. */
    static final class Fact<T> {
        private final Known<T> late = Known.late();

        private Fact() {}
    }

    private volatile String fault = "";
    private final Map<Fact<?>, Known<?>> known = new ConcurrentHashMap<>();

    <T> void put(Fact<T> fact, Known<T> read) {
        known.put(fact, read);
    }

    /** Returns a fact; before the response to its query one that is late. */
    @SuppressWarnings("unchecked")
    <T> Known<T> get(Fact<T> fact) {
        return (Known<T>) known.getOrDefault(fact, fact.late);
    }

    /**
     * Stores why the server did not respond.
     *
     * @param mends what mends the account that the server refused; empty if it did not
     */
    void failed(String reason, String mends) {
        put(VARIABLES, Known.unknown(reason, mends));
    }

    /** Stores that the gate itself has failed, which says nothing about the server. */
    void fault(Throwable cause) {
        fault = cause.toString();
    }

    /** Returns why it did not respond; empty if it did. */
    String unreachable() {
        return get(VARIABLES).reason();
    }

    /** Returns the position at the reading's end: whoever has applied that has all that was read. */
    String ended() {
        String position = get(POSITION).value();
        return position == null ? "" : position;
    }

    /** Returns whether the server responded, and refused the account. */
    boolean denied() {
        return !remedy().isEmpty();
    }

    /** Returns what mends the account that the server refused; empty if it did not. */
    String remedy() {
        return get(VARIABLES).statement();
    }

    /** Returns how the gate itself failed; empty if it did not. */
    String fault() {
        return fault;
    }

    /** Returns whether the time was up before the server responded. */
    boolean isLate() {
        return unreachable().equals(Known.LATE);
    }

    /** Returns whether the server responded to a query. */
    boolean responded() {
        return get(VARIABLES).value() != null;
    }

    /** Returns a system variable, or an empty text if it does not exist or the server did not respond. */
    String variable(String name) {
        return all(VARIABLES).getOrDefault(name, "");
    }

    boolean hasVariable(String name) {
        return all(VARIABLES).containsKey(name);
    }

    private Map<String, String> all(Fact<Map<String, String>> fact) {
        Map<String, String> read = get(fact).value();
        return read == null ? Map.of() : read;
    }

    /** Returns the first two numbers of the version. */
    String series() {
        return variable("version").replaceAll("^(\\d+\\.\\d+).*", "$1");
    }

    boolean isMariaDb() {
        return ServerFlavor.of(variable("version")) == ServerFlavor.MARIADB;
    }

    Dialect dialect() {
        return Dialect.of(ServerFlavor.of(variable("version")));
    }

    /**
     * Returns how many transactions of a position it has not applied; null if replication has no GTIDs.
     *
     * @param ahead a position, or a set of GTIDs on MySQL
     * @throws IllegalArgumentException if it is none
     */
    @Nullable
    Long lacks(String ahead) {
        if (ahead.isBlank()) {
            return null;
        }
        ServerFlavor flavor = dialect().flavor();
        String applied = variable(flavor == ServerFlavor.MARIADB ? "gtid_slave_pos" : "gtid_executed");
        return GtidNumbers.upTo(flavor, ahead)
                .minus(GtidNumbers.upTo(flavor, applied))
                .count();
    }

    /** Returns statements for an administrator there, without the binary log, with what they need before and after. */
    String unlogged(String statements) {
        boolean refuses = variable("super_read_only").equals("ON");
        return (refuses ? "SET GLOBAL super_read_only = 0; " : "") + "SET SESSION sql_log_bin = 0; " + statements
                + (refuses ? "; SET GLOBAL super_read_only = 1" : "");
    }

    Identity identity() {
        return Identity.of(all(VARIABLES));
    }

    /** Returns the variables of semi-synchronous replication and its status, as far as they are known. */
    SemiSyncVariables semiSync() {
        Map<String, String> both = new HashMap<>(all(VARIABLES));
        both.putAll(all(SEMI_SYNC));
        return new SemiSyncVariables(both);
    }

    /** Returns the schema changes that it executes; empty also if the account may not see them. */
    List<SchemaChange> schemaChanges() {
        List<SchemaChange> read = get(SCHEMA_CHANGES).value();
        return read == null ? List.of() : read;
    }

    /**
     * A transaction that is open on a standby and not of its applier.
     *
     * @param connection id of its connection; 0 for a prepared XA transaction whose connection has ended
     * @param user the account; empty if not known
     * @param seconds since it began
     * @param rows rows that it has changed
     */
    record OpenTransaction(long connection, String user, long seconds, long rows) {}

    /**
     * The room on a file system.
     *
     * @param path where it is mounted
     * @param free bytes that are left to the server
     * @param total bytes
     */
    record FreeDisk(String path, long free, long total) {
        boolean holds(String folder) {
            return folder.startsWith(path.endsWith("/") ? path : path + "/");
        }

        /** Returns the share that is free, 0 to 1. */
        double share() {
            return total == 0 ? 1 : (double) free / total;
        }
    }
}
