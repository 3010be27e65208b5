package io.understudy.config;

import io.understudy.base.HasWarnings;
import io.understudy.config.bind.Checks;
import io.understudy.config.bind.RawSection;
import io.understudy.config.bind.RecordShape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The whole file. Immutable; a reload creates another one.
 *
 * @param transport kernel interface for network I/O
 * @param listen where clients are accepted
 * @param primary the server that clients are connected to
 * @param standbys the replicas that are kept warm; may be empty
 * @param admin the HTTP endpoint
 * @param limits bounds on time and memory
 * @param log what is logged by {@code run}, and how
 * @param metrics where metrics are pushed to
 * @param pages the account for reports on pages and for rebuilding tables; null: neither is possible
 * @param switchover the account for planned changes of the primary; null: they are not possible
 * @param failover what happens to clients while there is no primary
 * @param peers the other proxies before this primary; may be empty
 * @param plugins each plugin's section by plugin id, in the file's order; a plugin without a section does not run
 */
public record UnderstudyConfig(
        Transport transport,
        ListenConfig listen,
        PrimaryConfig primary,
        List<StandbyConfig> standbys,
        AdminConfig admin,
        LimitsConfig limits,
        LogConfig log,
        MetricsConfig metrics,
        @Nullable PagesConfig pages,
        @Nullable SwitchoverConfig switchover,
        FailoverConfig failover,
        List<Peer> peers,
        Map<String, RawSection> plugins)
        implements HasWarnings {

    public UnderstudyConfig {
        transport = transport == null ? Transport.AUTO : transport;
        listen = listen == null ? RecordShape.defaults(ListenConfig.class) : listen;
        standbys = standbys == null ? List.of() : List.copyOf(standbys);
        admin = admin == null ? RecordShape.defaults(AdminConfig.class) : admin;
        limits = limits == null ? RecordShape.defaults(LimitsConfig.class) : limits;
        log = log == null ? RecordShape.defaults(LogConfig.class) : log;
        metrics = metrics == null ? RecordShape.defaults(MetricsConfig.class) : metrics;
        failover = failover == null ? RecordShape.defaults(FailoverConfig.class) : failover;
        peers = peers == null ? List.of() : List.copyOf(peers);
        plugins = plugins == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(plugins));
        Checks checks = new Checks()
                .required(
                        primary,
                        "primary",
                        "the server to connect clients to, such as primary: { address: 127.0.0.1:3306 }");
        if (primary != null) {
            checks.that(
                    !listen.address().contains(primary.address())
                            && primary.candidates().stream().noneMatch(listen.address()::contains),
                    primary.candidates().isEmpty() ? "primary.address" : "primary.candidates",
                    "is the proxy's own listen.address: it would connect to itself");
        }
        checks.that(
                failover.hold().isZero() || primary == null || primary.monitor() != null,
                "failover.hold",
                "needs primary.monitor, whose probes find out that there is a primary again");
        checks.that(
                !admin.enabled()
                        || admin.address().port() == 0
                        || !listen.address().contains(admin.address()),
                "admin.address",
                "is also in listen.address; give one of them another port");
        checks.that(
                !listen.reusePort() || transport != Transport.NIO,
                "listen.reusePort",
                "needs epoll or io_uring; remove transport: nio, or this key");
        for (int i = 0; i < standbys.size(); i++) {
            checkStandby(checks, standbys, i);
        }
        checks.done();
    }

    /**
     * Returns the standby of a name.
     *
     * @throws IllegalArgumentException if there is none; the message has their names
     */
    public StandbyConfig standby(String name) {
        return standbys.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no standby '" + name + "'; known: "
                        + standbys.stream().map(StandbyConfig::name).toList()));
    }

    private static void checkStandby(Checks checks, List<StandbyConfig> standbys, int index) {
        StandbyConfig standby = standbys.get(index);
        String path = "standbys[" + index + "]";
        for (int earlier = 0; earlier < index; earlier++) {
            if (standbys.get(earlier).name().equals(standby.name())) {
                checks.that(
                        false, path + ".name", "is already the name of standbys[" + earlier + "]; names must differ");
                return;
            }
        }
    }

    @Override
    public List<String> warnings() {
        List<String> lines = new ArrayList<>();
        if (listen.reusePort() && !limits.drainDelay().isZero()) {
            lines.add("limits.drainDelay: has no effect with listen.reusePort: the drain begins at once, as another"
                    + " process has the port; clients of a balancer are refused where none has. Remove one of the two");
        }
        // Where both of a pair are listed, one always is the primary.
        boolean alone = standbys.stream().allMatch(each -> each.address().equals(primary.address()));
        for (int i = 0; i < standbys.size(); i++) {
            if (alone
                    && primary.candidates().isEmpty()
                    && primary.address().equals(standbys.get(i).address())) {
                lines.add("standbys[" + i + "].address: is the primary's address: nothing is mirrored to it while it is"
                        + " the primary");
            }
            for (int earlier = 0; earlier < i; earlier++) {
                if (standbys.get(earlier).address().equals(standbys.get(i).address())) {
                    lines.add("standbys[" + i + "].address: is also the address of standbys[" + earlier
                            + "]: the same server would get every mirrored statement twice");
                }
            }
        }
        return lines;
    }
}
