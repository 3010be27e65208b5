package io.understudy.lost;

import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.MonitorConfig;
import io.understudy.config.PrimaryConfig;
import io.understudy.config.StandbyConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.plugin.SavedTransactions;
import io.understudy.remote.AdminClient;
import io.understudy.remote.OtherProxy;
import io.understudy.server.QueryPool;
import io.understudy.servers.GtidNumbers;
import io.understudy.servers.ReplicaStatus;
import io.understudy.servers.ReportedPosition;
import io.understudy.terminal.Table;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * Queries the black box of a running proxy, or what one has left in a directory, about the server that the proxy
 * chooses or about a named one.
 */
public final class LostSource {
    private final Actions actions;
    private final @Nullable UnderstudyConfig config;
    private final String name;
    private final List<OtherProxy> peers;
    /** Whose rescue file is read. */
    private LostSource rescuing = this;
    /** The server of which the standby replicates, for a directory; empty if not known. */
    private String source = "";

    private interface Actions {
        Map<String, Object> act(String name, Map<String, String> parameters) throws IOException, InterruptedException;

        /** Returns the view of that name. */
        Map<String, Object> view(String name) throws IOException, InterruptedException;

        byte[] bytes(String name) throws IOException, InterruptedException;
    }

    private record Running(AdminClient admin) implements Actions {
        @Override
        public Map<String, Object> act(String name, Map<String, String> parameters)
                throws IOException, InterruptedException {
            return admin.act(name + query(parameters));
        }

        @Override
        public Map<String, Object> view(String name) throws IOException, InterruptedException {
            return admin.view(name);
        }

        @Override
        public byte[] bytes(String name) throws IOException, InterruptedException {
            return admin.bytes(name);
        }
    }

    private record Saved(SavedTransactions.Actions directory) implements Actions {
        @Override
        @SuppressWarnings("unchecked")
        public Map<String, Object> act(String name, Map<String, String> parameters) throws IOException {
            if (!parameters.containsKey("replicated")) {
                throw new IOException("a directory tells no addresses: name the new primary with --on, a standby of the"
                        + " file or HOST:PORT with -c FILE and primary.monitor, whose account asks it");
            }
            try {
                return (Map<String, Object>) directory.act(name, parameters);
            } catch (IllegalArgumentException e) {
                throw new IOException(e.getMessage(), e);
            }
        }

        @Override
        public Map<String, Object> view(String name) throws IOException {
            return act(name, Map.of());
        }

        @Override
        public byte[] bytes(String name) {
            return (byte[]) directory.act(name, Map.of());
        }
    }

    /**
     * @param config holds the account for a server given by its address; null if there is none
     * @param peers proxies whose black boxes are queried, too
     */
    public LostSource(AdminClient admin, @Nullable UnderstudyConfig config, List<OtherProxy> peers) {
        this(new Running(admin), config, "this proxy", peers);
    }

    private LostSource(Actions actions, @Nullable UnderstudyConfig config, String name, List<OtherProxy> peers) {
        this.actions = actions;
        this.config = config;
        this.name = name;
        this.peers = peers;
    }

    /**
     * Reads what the black box of a proxy that is down has left.
     *
     * @param key that it is encrypted with, or null
     * @param peers proxies whose black boxes are queried, too
     */
    public static LostSource saved(
            Path directory, @Nullable Secret key, @Nullable UnderstudyConfig config, List<OtherProxy> peers)
            throws IOException {
        SavedTransactions reader = ServiceLoader.load(SavedTransactions.class)
                .findFirst()
                .orElseThrow(() -> new IOException("this program has no black box: use that of the package"));
        return new LostSource(new Saved(reader.open(directory, key)), config, directory.toString(), peers);
    }

    /** Returns the same with another name, without a proxy whose rescue file is read. */
    public LostSource named(String other) {
        return new LostSource(actions, config, other, peers);
    }

    /** Returns the name of the proxy, or of the directory that one has left. */
    public String name() {
        return name;
    }

    /** Has a directory answer by the part of it that belongs to the server of which the standby replicates. */
    public LostSource of(ReplicaStatus replication) {
        String id = replication.sourceServerId();
        if (actions instanceof Saved && !id.isEmpty() && !id.equals("0")) {
            source = id;
        }
        return this;
    }

    /**
     * Returns what the old primary may still have.
     *
     * @param on a standby's name, {@code primary} or {@code host:port}; null to let the proxy choose
     */
    public Map<String, Object> lost(@Nullable String on) throws IOException, InterruptedException {
        if (peers.isEmpty()) {
            return on == null ? actions.view("lost") : actions.act("lost", asked(on));
        }
        Views all = views(on);
        Map<String, Object> united = LostUnion.of(all.found).all();
        united.put("notAsked", all.problems);
        return united;
    }

    /**
     * The responses about one server.
     *
     * @param found by proxy
     * @param problems a row for each proxy that did not respond
     */
    private record Views(Map<String, Map<String, Object>> found, List<Object> problems) {}

    private LostSource alone() {
        return new LostSource(actions, config, name, List.of());
    }

    /** A directory is last, as it chooses no server. */
    private List<LostSource> proxies() {
        List<LostSource> all = new ArrayList<>();
        peers.forEach(each -> all.add(new LostSource(new Running(each.admin()), config, each.name(), List.of())));
        all.add(actions instanceof Saved ? all.size() : 0, this);
        return all;
    }

    /** The first that responds chooses the server, and the others are asked about the same. */
    private Views views(@Nullable String on) throws IOException, InterruptedException {
        Views all = new Views(new LinkedHashMap<>(), new ArrayList<>());
        String server = on;
        IOException first = null;
        for (LostSource each : proxies()) {
            try {
                Map<String, Object> view = each.alone().lost(server);
                all.found.put(each.name, view);
                server = server == null
                        ? String.valueOf(Table.map(view, "survivor").get("name"))
                        : server;
            } catch (IOException e) {
                first = first == null ? e : first;
                all.problems.add(Map.of("proxy", each.name, "why", String.valueOf(e.getMessage())));
            }
        }
        if (first != null && all.found.isEmpty()) {
            throw first;
        }
        return all;
    }

    /**
     * Has the black box count what the server's position alone implies: it was compared, or built anew. Returns what is
     * missing there then.
     */
    public Map<String, Object> compared(String on) throws IOException, InterruptedException {
        Map<String, String> look = new LinkedHashMap<>(asked(on));
        look.put("look", "true");
        for (LostSource each : proxies()) {
            each.actions.act("lost/compared", look); // none counts it that another one refuses
        }
        for (LostSource each : proxies()) {
            each.actions.act("lost/compared", asked(on));
        }
        return lost(on);
    }

    /** Starts a rescue file: with peers, that of the proxy whose file comes first. */
    public Map<String, Object> rescue(@Nullable String on) throws IOException, InterruptedException {
        if (peers.isEmpty()) {
            return actions.act("lost/rescue", on == null ? Map.of() : asked(on));
        }
        Views all = views(on);
        String proxy = LostUnion.first(all.found);
        if (proxy == null) {
            throw new IOException(
                    "no proxy has what precedes the transactions of the others, so that no single file can"
                            + " be replayed first: understudy rescue --apply unites them");
        }
        MissingView united = LostUnion.of(all.found);
        rescuing = proxies().stream()
                .filter(each -> each.name.equals(proxy))
                .findFirst()
                .orElse(this);
        Map<String, Object> rescue = new LinkedHashMap<>(
                rescuing.alone().rescue(String.valueOf(united.part("survivor").get("name"))));
        if (united.isRenumbered() && !Boolean.TRUE.equals(rescue.get("renumbered"))) {
            throw new IOException("the primary's numbers began anew (RESET MASTER), and the black box of " + proxy
                    + " knows nothing of it: its file may not be replayed. Name another proxy with --admin, and leave"
                    + " out peers in its file");
        }
        rescue.put("proxy", proxy);
        rescue.put("notKnown", united.all().get("notKnown"));
        rescue.put("neverRead", united.isNeverRead());
        rescue.put("elsewhere", LostUnion.elsewhere(all.found, proxy));
        rescue.put("unknown", united.unknown());
        rescue.put("damaged", united.all().get("damaged"));
        rescue.put("notAsked", all.problems);
        return rescue;
    }

    /** As {@link #lost}, for a server that the caller has asked itself. */
    public Map<String, Object> lost(String on, ReportedPosition position) throws IOException, InterruptedException {
        return actions.act("lost", asked(on, position));
    }

    /** As {@link #lost}, and the proxy remembers nothing of it. */
    public Map<String, Object> look(String on, ReportedPosition position) throws IOException, InterruptedException {
        return actions.act("lost/look", asked(on, position));
    }

    /**
     * Has the black box know that a server got transactions from elsewhere, so that its position tells the truth of
     * them.
     *
     * @param numbers by MariaDB's domain
     */
    public void applied(String on, ReportedPosition position, GtidNumbers numbers)
            throws IOException, InterruptedException {
        Map<String, String> parameters = asked(on, position);
        parameters.put("numbers", numbers.toString());
        actions.act("lost/applied", parameters);
    }

    /**
     * As {@link #rescue}, for a server that the caller has asked itself.
     *
     * @param look whether the proxy remembers nothing of it
     */
    public Map<String, Object> rescue(String on, ReportedPosition position, boolean look)
            throws IOException, InterruptedException {
        Map<String, String> parameters = asked(on, position);
        if (look) {
            parameters.put("look", "true");
        }
        return actions.act("lost/rescue", parameters);
    }

    /** Returns the next part of the rescue file; empty at its end. */
    public byte[] part(Map<String, Object> rescue) throws IOException, InterruptedException {
        return rescuing.actions.bytes("lost/rescue/" + rescue.get("rescue"));
    }

    private Map<String, String> asked(String on) throws IOException {
        if (on.contains(":") || on.contains("/")) {
            return asked(on, position(on, monitored(on)));
        }
        StandbyConfig standby = actions instanceof Saved ? standby(on) : null;
        return standby == null ? Map.of("on", on) : asked(on, position(on, standby));
    }

    private @Nullable StandbyConfig standby(String name) {
        return config == null
                ? null
                : config.standbys().stream()
                        .filter(each -> each.name().equals(name))
                        .findFirst()
                        .orElse(null);
    }

    private Map<String, String> asked(String on, ReportedPosition reported) {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("on", on);
        String received = reported.received();
        parameters.put("replicated", reported.replicated());
        parameters.put("logged", reported.logged());
        parameters.put("received", received == null ? "?" : received);
        parameters.put("readOnly", Boolean.toString(reported.readOnly()));
        parameters.put("server", reported.server());
        if (!source.isEmpty()) {
            parameters.put("source", source);
        }
        return parameters;
    }

    private static String query(Map<String, String> parameters) {
        StringBuilder query = new StringBuilder();
        parameters.forEach((name, value) -> query.append(query.length() == 0 ? '?' : '&')
                .append(name)
                .append('=')
                .append(URLEncoder.encode(value, StandardCharsets.UTF_8)));
        return query.toString();
    }

    private StandbyConfig monitored(String on) throws IOException {
        PrimaryConfig primary = config == null ? null : config.primary();
        MonitorConfig monitor = primary == null ? null : primary.monitor();
        if (primary == null || monitor == null) {
            throw new IOException(
                    "to ask " + on + " an account is needed: give -c FILE with primary.monitor, or name a standby");
        }
        return new StandbyConfig(
                "survivor",
                Address.parse(on),
                primary.tls(),
                primary.connectTimeout(),
                monitor.user(),
                monitor.password());
    }

    private static ReportedPosition position(String on, StandbyConfig server) throws IOException {
        try (QueryPool queries = QueryPool.to(server)) {
            return ReportedPosition.of(queries.dataSource());
        } catch (SQLException e) {
            throw new IOException(on + " cannot be asked as " + server.user() + ": " + e.getMessage(), e);
        }
    }
}
