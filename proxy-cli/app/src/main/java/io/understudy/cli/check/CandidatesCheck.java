package io.understudy.cli.check;

import io.understudy.config.Address;
import io.understudy.config.LoadedConfig;
import io.understudy.config.MonitorConfig;
import io.understudy.config.PrimaryConfig;
import io.understudy.connection.AccountRemedy;
import io.understudy.server.QueryPool;
import io.understudy.servers.Identity;
import io.understudy.servers.ReplicaStatus;
import io.understudy.servers.ServerQueries;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** Asks every one of {@code primary.candidates} for its role, and finds the one that the proxy takes. */
final class CandidatesCheck {
    private static final String WHERE = "primary.candidates";

    private final LoadedConfig loaded;
    private final PrimaryConfig primary;
    private final MonitorConfig monitor;
    private final List<CheckResult> findings = new ArrayList<>();
    private final List<Address> writable = new ArrayList<>();
    private final Map<Address, Identity> identities = new LinkedHashMap<>();
    private final Map<Address, List<ReplicaStatus>> channels = new LinkedHashMap<>();
    private final List<Address> reached = new ArrayList<>();
    private final Map<Address, SQLException> failed = new LinkedHashMap<>();

    CandidatesCheck(LoadedConfig loaded, MonitorConfig monitor) {
        this.loaded = loaded;
        this.primary = loaded.config().primary();
        this.monitor = monitor;
    }

    List<CheckResult> run() {
        primary.candidates().forEach(this::check);
        failed.forEach((candidate, failure) -> findings.add(failure(candidate, failure)));
        if (writable.size() > 1) {
            findings.add(CheckResult.error(
                    WHERE,
                    "split: " + names(writable, " and ") + " are all writable" + replicating()
                            + ", and which one is the primary is not known here. GET /api/primary of a running proxy"
                            + " names the one that it stays with; one that starts now lets nobody in. On each other"
                            + " one: SET GLOBAL read_only = 1 (MySQL: super_read_only)"));
        } else if (writable.isEmpty()) {
            findings.add(CheckResult.error(
                    WHERE,
                    "none of them is known to be writable, so which one is the primary is not known; "
                            + (refuses()
                                    ? "mend primary.monitor first, which is refused"
                                    : "if no other server has been promoted since, and the primary is there, which"
                                            + " replicates from none: SET GLOBAL read_only=0 there; if it is lost:"
                                            + " understudy failover --to NAME, which brings a standby what it lacks"
                                            + " before it is promoted")));
        }
        return findings;
    }

    /** Returns the candidate to check as the primary. */
    Address chosen() {
        List<Address> from = writable.isEmpty() ? reached : writable;
        return from.isEmpty() || from.contains(primary.address()) ? primary.address() : from.get(0);
    }

    /**
     * Returns whether {@link #chosen} is the primary. One that refuses the account may be it, beside a standby that is
     * writable by mistake.
     */
    boolean isKnown() {
        return writable.size() == 1 && !refuses();
    }

    private boolean refuses() {
        return !failed.values().stream().allMatch(LoginFailure::isOfTheNetwork);
    }

    /** Returns which of the writable ones replicates from another, for an operator to judge by. */
    private String replicating() {
        String each = writable.stream()
                .flatMap(one -> writable.stream()
                        .filter(other -> channels.getOrDefault(one, List.of()).stream()
                                .anyMatch(channel -> channel.receives()
                                        && Boolean.TRUE.equals(identity(other).isSourceOf(channel))))
                        .map(other -> one + " replicates from " + other))
                .collect(Collectors.joining(", "));
        return each.isEmpty() ? "" : " (" + each + ")";
    }

    private Identity identity(Address candidate) {
        return Objects.requireNonNull(identities.get(candidate));
    }

    /** Returns whether {@link #chosen} responded, so that a further failure there would not be news. */
    boolean responded() {
        return reached.contains(chosen());
    }

    private void check(Address candidate) {
        try (ServerQueries server = QueryPool.connect(candidate, primary.tls(), monitor.user(), monitor.password())) {
            boolean readOnly = server.isReadOnly();
            reached.add(candidate);
            if (!readOnly) {
                identities.put(candidate, Identity.of(server));
                channels.put(candidate, channels(server));
                writable.add(candidate);
            }
            findings.add(CheckResult.ok(
                    WHERE,
                    candidate + " is " + (readOnly ? "read-only" : "writable") + ", version "
                            + server.text("SELECT VERSION()")));
        } catch (SQLException e) {
            failed.put(candidate, e);
        }
    }

    private static List<ReplicaStatus> channels(ServerQueries server) throws SQLException {
        try {
            return ReplicaStatus.of(server);
        } catch (SQLException e) {
            ServerQueries.ensureRefused(e);
            return List.of();
        }
    }

    /** A candidate may be down while another one is the primary; an account that cannot log in never may. */
    private CheckResult failure(Address candidate, SQLException failure) {
        String why = LoginFailure.of(
                failure,
                candidate,
                monitor.user(),
                "primary",
                WHERE,
                product -> AccountRemedy.onStandby(AccountSql.monitor(monitor.user(), loaded, product)));
        return writable.size() == 1 && LoginFailure.isOfTheNetwork(failure)
                ? CheckResult.warning(WHERE, why)
                : CheckResult.error(WHERE, why);
    }

    private static String names(List<Address> addresses, String between) {
        return addresses.stream().map(Address::toString).collect(Collectors.joining(between));
    }
}
