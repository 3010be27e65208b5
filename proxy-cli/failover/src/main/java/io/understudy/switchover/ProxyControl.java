package io.understudy.switchover;

import io.understudy.base.Durations;
import io.understudy.remote.AdminClient;
import io.understudy.terminal.Table;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The running proxy. The hold ends with this client's connection. */
public record ProxyControl(AdminClient admin) {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration BRIEF = Duration.ofSeconds(2);

    /** Returns the address of the present primary. */
    public String primary() throws IOException, InterruptedException {
        return String.valueOf(admin.view("primary").get("address"));
    }

    /**
     * Returns the address of the present primary; empty if the proxy has ended, as its port refuses connections.
     *
     * @throws IOException if it is not known: no response in time, say, or one with another status than 200
     */
    public String primaryUnlessEnded() throws IOException, InterruptedException {
        try {
            return admin.value("primary", BRIEF) instanceof Map<?, ?> view ? String.valueOf(view.get("address")) : "?";
        } catch (IOException e) {
            if (admin.refusesConnections(BRIEF)) {
                return "";
            }
            throw e;
        }
    }

    /** Returns the addresses of the candidates; empty if the configuration has none. */
    public List<String> candidates() throws IOException, InterruptedException {
        return Table.rows(admin.view("primary"), "candidates").stream()
                .map(row -> String.valueOf(row.get("address")))
                .toList();
    }

    /**
     * Makes a server the primary that is known to be it. Returns what is left to do for the proxy's next start; empty
     * for nothing.
     */
    public String follow(String address) throws IOException, InterruptedException {
        Object note = admin.act("primary?force=true&address=" + URLEncoder.encode(address, StandardCharsets.UTF_8))
                .get("note");
        return note == null ? "" : note.toString();
    }

    /** Returns the names of the standbys that the proxy knows to be the primary, whatever their address. */
    public Set<String> namesOfPrimary() throws IOException, InterruptedException {
        Object all = admin.value("standbys", PATIENCE);
        return all instanceof List<?> rows
                ? rows.stream()
                        .filter(row -> row instanceof Map<?, ?> map && Boolean.TRUE.equals(map.get("primary")))
                        .map(row -> String.valueOf(((Map<?, ?>) row).get("standby")))
                        .collect(Collectors.toSet())
                : Set.of();
    }

    public HeldSessions hold(Duration longest) throws IOException, InterruptedException {
        return new HeldSessions(admin.act("hold?max=" + Durations.format(longest)));
    }

    public HeldSessions held() throws IOException, InterruptedException {
        return new HeldSessions(admin.view("hold"));
    }

    /**
     * Returns whether sessions are held.
     *
     * @throws IOException also if the proxy does not respond within the time
     */
    public boolean isHolding(Duration within) throws IOException, InterruptedException {
        return admin.value("hold", within) instanceof Map<?, ?> view && Boolean.TRUE.equals(view.get("held"));
    }

    public HeldSessions release() throws IOException, InterruptedException {
        return new HeldSessions(admin.act("release"));
    }
}
