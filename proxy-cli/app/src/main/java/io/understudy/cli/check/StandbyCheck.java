package io.understudy.cli.check;

import io.understudy.config.Address;
import io.understudy.config.LoadedConfig;
import io.understudy.config.StandbyConfig;
import io.understudy.connection.AccountRemedy;
import io.understudy.plugin.CheckedPrimary;
import io.understudy.plugin.CheckedServer.Level;
import io.understudy.server.QueryPool;
import io.understudy.servers.Identity;
import io.understudy.servers.ReplicaRemedy;
import io.understudy.servers.ReplicaStatus;
import io.understudy.servers.ServerQueries;
import io.understudy.sql.AccountGrants;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Checks a standby: whether it is one, replicates from the primary, and has an account that can only read. */
public final class StandbyCheck {
    /** What one would do about a standby may stop the primary then. */
    private static final String NOT_KNOWN =
            "which server is the primary is not known, and what is said of primary comes first";

    private final LoadedConfig loaded;
    private final StandbyConfig standby;
    private final @Nullable Address present;
    private final @Nullable Identity primary;
    private final CheckedPrimary facts;
    private final String where;
    private String account;
    private PrivilegeNames product = PrivilegeNames.UNKNOWN;
    private final List<CheckResult> findings = new ArrayList<>();
    private @Nullable Identity identity;

    /**
     * @param present the primary's address, or null if which server that is is not known
     * @param primary the primary's identity, or null also if it could not be queried
     * @param facts of the primary
     */
    public StandbyCheck(
            LoadedConfig loaded,
            StandbyConfig standby,
            @Nullable Address present,
            @Nullable Identity primary,
            CheckedPrimary facts) {
        this.facts = facts;
        this.loaded = loaded;
        this.standby = standby;
        this.present = present;
        this.primary = primary;
        this.where = "standby " + standby.name();
        this.account = AccountSql.account(standby.user());
    }

    public List<CheckResult> run() {
        try (ServerQueries server =
                QueryPool.connect(standby.address(), standby.tls(), standby.user(), standby.password())) {
            add(CheckResult.ok(where, standby.address() + " responds, version " + server.text("SELECT VERSION()")));
            if (isPrimary(server)) {
                // With candidates, one listed standby is always the primary; it is not mirrored to.
                add(CheckResult.ok(
                        where,
                        "is the present primary: nothing is mirrored to it, and it is checked as a standby once another"
                                + " server is the primary"));
                return findings;
            }
            account = AccountSql.account(server.text("SELECT CURRENT_USER()"), standby.user());
            String readOnly = server.variable("read_only");
            if (!ServerQueries.isOn(readOnly)) {
                add(
                        primary == null
                                ? CheckResult.warning(
                                        where, "is writable: whether it is the primary cannot be said; " + NOT_KNOWN)
                                : CheckResult.error(
                                        where,
                                        "is writable, so nothing will be mirrored to it; unless GET /api/primary of"
                                                + " the running proxy names it: SET GLOBAL read_only = 1 there"));
            } else {
                add(CheckResult.ok(where, "read_only is " + readOnly));
            }
            identity = Identity.of(server);
            product = PrivilegeNames.ofVersion(server.text("SELECT VERSION()"));
            privileges(server);
            replication(server, ServerQueries.isOn(readOnly));
            new PluginsCheck(loaded, server, facts, standby.user(), where, findings).run();
        } catch (SQLException e) {
            add(CheckResult.error(
                    where,
                    LoginFailure.of(
                            e,
                            standby.address(),
                            standby.user(),
                            section(),
                            section() + ".address",
                            this::createAccount)));
        }
        return findings;
    }

    /** Returns what is wrong with the server ids of two standbys that have been checked, or null. */
    @Nullable
    CheckResult sameServerId(StandbyCheck other) {
        return sameServerId(where, identity, other.where, other.identity);
    }

    static @Nullable CheckResult sameServerId(
            String where, @Nullable Identity here, String other, @Nullable Identity there) {
        if (here == null || there == null || !here.sharesIdWith(there)) {
            return null;
        }
        String text = "has the server_id " + here.serverId() + " of " + other + ": " + here.harmOfSharedId() + "; "
                + here.remedyOfSharedId();
        return here.uuid().isEmpty() ? CheckResult.error(where, text) : CheckResult.warning(where, text);
    }

    /** By its address alone where the primary gave no response to its account. */
    private boolean isPrimary(ServerQueries server) throws SQLException {
        return standby.address().equals(present) || primary != null && primary.isSameServerAs(Identity.of(server));
    }

    private String section() {
        return "standbys[" + loaded.config().standbys().indexOf(standby) + "]";
    }

    private String createAccount(PrivilegeNames product) {
        return AccountRemedy.onStandby(AccountSql.mirror(standby.user(), facts, product));
    }

    private void privileges(ServerQueries server) throws SQLException {
        AccountGrants grants = server.grants();
        List<AccountGrants.Excess> more = grants.beyondReading();
        List<AccountGrants.Excess> own =
                more.stream().filter(one -> !one.isPublic()).toList();
        if (own.isEmpty()) {
            add(CheckResult.ok(where, "account " + standby.user() + " can only read"));
        } else {
            add(CheckResult.error(
                    where,
                    "account " + standby.user() + " can do more than read (" + privileges(own) + "); on the primary: "
                            + revokes(own) + "; or use another account: "
                            + AccountSql.mirror("understudy_mirror", facts, product)));
        }
        List<AccountGrants.Excess> everybody =
                more.stream().filter(AccountGrants.Excess::isPublic).toList();
        if (!everybody.isEmpty()) {
            add(CheckResult.warning(
                    where,
                    "PUBLIC, which is every account, so " + standby.user() + " too, can do more than read on "
                            + everybody.stream()
                                    .map(AccountGrants.Excess::object)
                                    .collect(Collectors.joining(", "))
                            + "; where nobody needs that, on the primary: " + revokes(everybody)));
        }
    }

    private static String privileges(List<AccountGrants.Excess> all) {
        return all.stream()
                .flatMap(one ->
                        one.privileges().stream().map(name -> one.object().isEmpty() ? "the role " + name : name))
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
    }

    private static String revokes(List<AccountGrants.Excess> all) {
        return all.stream().map(AccountGrants.Excess::revoke).collect(Collectors.joining("; "));
    }

    private void replication(ServerQueries server, boolean readOnly) throws SQLException {
        List<ReplicaStatus> channels;
        try {
            channels = ReplicaStatus.of(server);
        } catch (SQLException e) {
            ServerQueries.ensureRefused(e);
            boolean reads = server.grants().readsByItself();
            add(new CheckResult(
                    reads ? Level.WARNING : Level.ERROR,
                    where,
                    (reads ? "" : "account " + standby.user() + " has no privilege to read a table, and ")
                            + "its replication cannot be seen, so pauseAbove.replicationLag has no effect; on the"
                            + " primary: " + AccountSql.seeReplication(account, product)));
            return;
        }
        if (channels.isEmpty()) {
            add(
                    primary == null
                            ? CheckResult.warning(
                                    where, "does not replicate from any server, as the primary; " + NOT_KNOWN)
                            : CheckResult.error(
                                    where,
                                    "does not replicate from any server"
                                            // A writable one may have been promoted.
                                            + (readOnly ? "; " + ReplicaRemedy.ofNone(product.isMariaDb()) : "")));
        }
        for (ReplicaStatus channel : channels) {
            source(channel);
            if (!channel.isOfGroup()) {
                applier(channel);
                receiver(channel);
            }
            if (channel.isByFile()) {
                add(CheckResult.warning(
                        where,
                        "replicates from " + channel.source() + " by file and offset, with which understudy failover"
                                + " and switchover refuse to promote it; "
                                + (primary == null ? NOT_KNOWN : ReplicaRemedy.toGtid(channel, product.isMariaDb()))));
            }
        }
    }

    private void source(ReplicaStatus channel) {
        String source = channel.source();
        Boolean fromPrimary = primary == null ? null : primary.isSourceOf(channel);
        if (fromPrimary == null) {
            add(CheckResult.warning(
                    where,
                    "replicates from " + source + "; whether that is the primary cannot be said"
                            + (primary == null ? "; " + NOT_KNOWN : " before it has connected there once")));
        } else if (fromPrimary) {
            if (channel.applies() && channel.receives()) {
                add(CheckResult.ok(where, "replicates from the primary (" + source + ")"));
            }
        } else {
            add(CheckResult.error(
                    where,
                    "replicates from elsewhere: from " + source
                            + ", which is not the primary; its pages would be warmed by"
                            + " reads of other data. Point it at the primary, which GET /api/primary of the running"
                            + " proxy names, or take it out of standbys"));
        }
    }

    private void applier(ReplicaStatus channel) {
        if (!channel.applies()) {
            add(CheckResult.error(
                    where,
                    "its applier (SQL thread), of what it receives from " + channel.source() + ", has stopped"
                            + detail(ReplicaRemedy.applierError(channel)) + "; "
                            + ReplicaRemedy.ofApplier(channel, product.isMariaDb())));
        }
    }

    private void receiver(ReplicaStatus channel) {
        if (channel.receives()) {
            return;
        }
        String error = ReplicaRemedy.receiverError(channel);
        String text = "its receiver (IO thread) "
                + (channel.isReceiverStopped() ? "has stopped and receives nothing from " : "receives nothing from ")
                + channel.source() + detail(error) + "; ";
        if (primary == null) {
            // A restart could throw away what a dead primary has sent.
            add(CheckResult.warning(where, text + NOT_KNOWN));
        } else {
            String whole = text + ReplicaRemedy.ofReceiver(channel, product.isMariaDb());
            boolean starts = error.isEmpty() && !channel.isReceiverStopped();
            add(starts ? CheckResult.warning(where, whole) : CheckResult.error(where, whole));
        }
    }

    private static String detail(String error) {
        return error.isEmpty() ? "" : ": " + error;
    }

    private void add(CheckResult finding) {
        findings.add(finding);
    }
}
