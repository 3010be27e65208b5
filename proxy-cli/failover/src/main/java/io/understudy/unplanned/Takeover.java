package io.understudy.unplanned;

import io.understudy.config.Address;
import io.understudy.config.PrimaryConfig;
import io.understudy.config.StandbyConfig;
import io.understudy.config.SwitchoverConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.connection.Credentials;
import io.understudy.connection.NameLookup;
import io.understudy.lost.LostSource;
import io.understudy.lost.MissingView;
import io.understudy.plugin.ServerFlavor;
import io.understudy.server.ConfiguredPrimary;
import io.understudy.server.DriverSource;
import io.understudy.servers.Dialect;
import io.understudy.servers.ReplicaStatus;
import io.understudy.servers.ReportedPosition;
import io.understudy.switchover.Node;
import io.understudy.switchover.Pair;
import io.understudy.switchover.PromotionUnknown;
import io.understudy.switchover.StepFailure;
import io.understudy.switchover.SwitchoverAccount;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/**
 * What the steps of one change share.
 *
 * @param pair the old primary, whose connection is opened only to fence it, and the standby
 * @param replicates whether the standby has its replication connection
 * @param scripts of connections to the standby that take several statements in a text
 * @param proxies those that follow
 * @param blackBoxes those that are read; empty if there are none
 */
record Takeover(
        Pair pair,
        boolean replicates,
        DataSource scripts,
        List<AskedProxy> proxies,
        List<LostSource> blackBoxes,
        FailoverOptions options) {

    static Takeover of(
            StandbyConfig standby, UnderstudyConfig config, List<AskedProxy> proxies, FailoverOptions options)
            throws IOException, SQLException, InterruptedException {
        SwitchoverConfig account = SwitchoverAccount.of(config);
        Node replica = Node.of(standby, account);
        try {
            Dialect dialect = Dialect.of(replica.flavor());
            List<ReplicaStatus> all = replica.replications(dialect);
            if (all.size() > 1) {
                throw new SQLException(standby.name() + " has " + all.size()
                        + " replication connections; a failover needs one, from the primary");
            }
            Address old = old(standby, all, config, proxies);
            return new Takeover(
                    new Pair(
                            primary(old, config.primary(), account, NameLookup.RUNTIME),
                            old,
                            replica,
                            standby.address(),
                            dialect,
                            all.isEmpty() ? new ReplicaStatus(Map.of()) : all.get(0)),
                    !all.isEmpty(),
                    new DriverSource(
                                    standby.address(),
                                    standby.tls(),
                                    account.user(),
                                    account.password(),
                                    standby.connectTimeout(),
                                    options.timeout())
                            .allowSeveralStatements(),
                    proxies,
                    blackBoxes(config, proxies, all, options),
                    options);
        } catch (SQLException e) {
            replica.close();
            throw SwitchoverAccount.explained(e, account.user());
        }
    }

    static Node primary(Address old, PrimaryConfig former, SwitchoverConfig account, NameLookup names) {
        return new Node(
                "the old primary",
                new DriverSource(
                        () -> old,
                        OldPrimaryStep.toSign(names, old),
                        former.tls(),
                        () -> new Credentials(account.user(), account.password()),
                        former.connectTimeout()));
    }

    /**
     * Returns the address that a proxy still follows, or that of the file; the standby's if neither is another one. A
     * proxy that began without a writable candidate has taken one of them, and does not know the primary.
     */
    private static Address old(
            StandbyConfig standby, List<ReplicaStatus> sources, UnderstudyConfig config, List<AskedProxy> proxies)
            throws IOException, SQLException, InterruptedException {
        boolean known = !proxies.isEmpty();
        for (AskedProxy each : proxies) {
            Map<String, Object> view = each.view();
            Address present = Address.parse(String.valueOf(view.get("address")));
            known &= AskedProxy.knows(view);
            if (AskedProxy.knows(view) && !present.equals(standby.address())) {
                return present;
            }
        }
        if (known) {
            List<String> before = new ArrayList<>();
            for (AskedProxy each : proxies) {
                before.add(String.valueOf(each.view().get("former")));
            }
            return former(standby, sources, before, config);
        }
        if (!proxies.isEmpty() && !sources.isEmpty()) {
            try {
                return Address.parse(sources.get(0).source()); // whatever the candidates call it
            } catch (IllegalArgumentException e) {
                throw new SQLException(
                        "it replicates from '" + sources.get(0).source() + "', and no proxy knows the"
                                + " primary. Put that one's address into primary.address, without candidates",
                        e);
            }
        }
        return config.primary().candidates().stream()
                .filter(each ->
                        sources.stream().anyMatch(source -> source.source().equals(each.toString())))
                .findFirst()
                .orElseGet(() -> ConfiguredPrimary.of(config.primary(), standby.address()));
    }

    /**
     * Returns the old primary's address when all proxies follow the standby; the standby's if nothing tells. The first
     * of the candidates may be any of them.
     *
     * @param before what the proxies followed before; of one that has not changed it, no address
     */
    static Address former(
            StandbyConfig standby, List<ReplicaStatus> sources, List<String> before, UnderstudyConfig config) {
        List<Address> candidates = config.primary().candidates();
        Address inFile = config.primary().address();
        if (candidates.isEmpty() && !inFile.equals(standby.address())) {
            return inFile;
        }
        String source = sources.isEmpty() ? "" : sources.get(0).source();
        List<String> named = new ArrayList<>(before);
        // The standby may know it by another name than the proxies.
        boolean isCandidate = candidates.stream().anyMatch(each -> source.equals(each.toString()));
        named.add(isCandidate ? 0 : before.size(), source);
        for (String each : named) {
            try {
                Address address = Address.parse(each);
                if (!address.equals(standby.address())) {
                    return address;
                }
            } catch (IllegalArgumentException e) {
                continue; // it names none
            }
        }
        List<Address> left = new ArrayList<>(candidates);
        left.remove(standby.address());
        config.standbys().forEach(each -> left.remove(each.address()));
        return left.size() == 1 ? left.get(0) : standby.address();
    }

    private static List<LostSource> blackBoxes(
            UnderstudyConfig config, List<AskedProxy> proxies, List<ReplicaStatus> sources, FailoverOptions options) {
        List<LostSource> all = new ArrayList<>();
        if (config.plugins().containsKey("black-box")) {
            proxies.forEach(each -> all.add(new LostSource(each.admin(), null, List.of()).named(each.name())));
        }
        if (options.directory() != null) {
            LostSource directory = options.directory().named("the directory");
            sources.forEach(directory::of);
            all.add(directory);
        }
        return all;
    }

    /** Returns whether the address of the old primary is known: when all proxies follow the standby, perhaps not. */
    boolean oldIsKnown() {
        return !pair.primaryAddress().equals(pair.standbyAddress());
    }

    Node standby() {
        return pair.standby();
    }

    String name() {
        return pair.standby().name();
    }

    /** Returns the standby's replication connection as it is now. */
    ReplicaStatus replication() throws SQLException, StepFailure {
        List<ReplicaStatus> all = standby().replications(pair.dialect());
        if (all.size() != 1) {
            throw new StepFailure(name() + " has " + all.size() + " replication connections: somebody changes them");
        }
        return all.get(0);
    }

    /**
     * Returns whether the standby was promoted before.
     *
     * @throws StepFailure if it is writable, and replicates, which a promotion stops, once all is applied
     * @throws PromotionUnknown if it is writable, and may have what is not applied
     */
    boolean promoted() throws SQLException, StepFailure {
        if (standby().readOnly()) {
            return false;
        }
        if (replicates && (!replication().isStopped() || !reached().received().isEmpty())) {
            throw new StepFailure(name() + " (" + pair.standbyAddress() + ") is writable and replicates: it was never"
                    + " promoted. " + pair.dialect().readOnly() + " there, and run this again");
        }
        String untold = untold();
        if (!untold.isEmpty()) {
            throw new PromotionUnknown(name() + " (" + pair.standbyAddress() + ") is writable, and has " + untold
                    + ". If it was promoted, there: " + pair.dialect().forget(pair.replication()) + "; if not: "
                    + pair.dialect().readOnly() + ". Then run this again");
        }
        return true;
    }

    /**
     * Returns what MariaDB's standby may have in relay logs, of which it tells nothing since a restart, and which the
     * next start of any of its threads throws away (MDEV-4698); empty for nothing.
     */
    String untold() throws SQLException, StepFailure {
        if (!replicates || pair.dialect().flavor() != ServerFlavor.MARIADB) {
            return "";
        }
        ReplicaStatus status = replication();
        return status.isStopped() && status.received().isEmpty() && !status.appliedAll()
                ? "the relay logs that it had when it was restarted, read up to " + status.receivedFile()
                        + " and applied up to " + status.appliedFile()
                : "";
    }

    /**
     * Returns whether a start of its replication loses nothing. MariaDB throws relay logs away with any start while
     * both threads are stopped.
     */
    boolean isStartSafe() throws SQLException, StepFailure {
        return pair.dialect().flavor() != ServerFlavor.MARIADB
                || !replication().isStopped()
                || untold().isEmpty() && reached().received().isEmpty();
    }

    /** Returns whether its numbers are from before the primary's began anew, as far as that is known. */
    boolean isRenumbered() throws InterruptedException {
        try {
            return look(reached()).values().stream().anyMatch(each -> new MissingView(each).isRenumbered());
        } catch (SQLException | IOException e) {
            return false; // which the steps before have said
        }
    }

    /** Asks the standby for its positions. */
    Reached reached() throws SQLException {
        return new Reached(pair.dialect().flavor(), standby().ask("its position", ReportedPosition::of));
    }

    /**
     * Returns the transactions that another server has and the standby lacks; empty for none.
     *
     * @param reached position of the standby, queried by the caller: a fault of the standby is none of the other server
     * @param wrote whether it was the primary: what it has written itself counts, of which on MariaDB its replicated
     *     position has nothing
     * @throws StepFailure if it is not known what the other one has received
     */
    String lacks(Reached reached, Node other, boolean wrote) throws SQLException, StepFailure {
        return has(other, wrote).lackedBy(reached);
    }

    /** Asks the old primary what it has: before the standby, of which it may be a replica that has no more. */
    Has oldPrimaryHas() throws SQLException {
        return has(pair.primary(), true);
    }

    private Has has(Node other, boolean wrote) throws SQLException {
        ReportedPosition its = other.ask("its position", ReportedPosition::of);
        if (pair.dialect().flavor() == ServerFlavor.MYSQL) {
            return new Has(its, other.value("SELECT @@GLOBAL.server_uuid"), wrote);
        }
        String all = its.replicated() + (wrote ? "," + its.logged().replace("\n", "") : "");
        return new Has(
                new ReportedPosition(all, its.logged(), its.received(), its.readOnly(), its.server()), "", wrote);
    }

    /** What another server has; as {@link Reached#lacks} takes it. */
    record Has(ReportedPosition position, String uuid, boolean wrote) {
        /**
         * Returns what the standby lacks of it; empty for nothing.
         *
         * @throws StepFailure if it is not known what the other one has received
         */
        String lackedBy(Reached standby) throws StepFailure {
            return standby.lacks(position, uuid, wrote);
        }

        /** Returns the same, with nothing received. */
        Has applied() {
            return new Has(
                    new ReportedPosition(
                            position.replicated(), position.logged(), "", position.readOnly(), position.server()),
                    uuid,
                    wrote);
        }
    }

    /**
     * Asks the black boxes what the standby lacks; they remember nothing of it.
     *
     * @param reached its position
     * @return the responses by black box; none without a black box
     */
    Map<String, Map<String, Object>> look(Reached reached) throws IOException, InterruptedException {
        Map<String, Map<String, Object>> views = new LinkedHashMap<>();
        for (LostSource each : blackBoxes) {
            views.put(each.name(), each.look(name(), reached.applied()));
        }
        return views;
    }
}
